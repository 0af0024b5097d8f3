import { z } from 'zod'
import type { ApiError } from '../../lib/runtime/errors.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import type { LinkOwnerQuery, Sdk } from '../generated/sdk.ts'
import { PORTAL_HOME } from '../pages/portal-links.ts'
import type { Page } from '../pages/send-page.ts'
import { smallErrorPage } from '../route/show-errors.ts'

/** The token in a mailed link, and in the form on its page: 32 bytes as base64url. */
export const MailedLinkInput = z.object({
  token: z.string().regex(/^[\w-]{43}$/, 'Must be the token of a mailed link.'),
})

export type MailedLink = z.infer<typeof MailedLinkInput>

/** The fields of a form that asks for the current password, a new password, or both. */
export const PasswordFormInput = MailedLinkInput.extend({
  password: z.string().max(1_000).default(''),
  new_password: z.string().max(1_000).default(''),
})

export type PasswordForm = z.infer<typeof PasswordFormInput>

/** The fields of the form for an invite. A person without an account also enters a name. */
export const InviteFormInput = PasswordFormInput.extend({
  name: z.string().max(1_000).default(''),
})

export type InviteForm = z.infer<typeof InviteFormInput>

/** A working link and the account that it was mailed to. */
export type LinkOwner = Pick<
  NonNullable<LinkOwnerQuery['account_link_by_pk']>,
  'kind' | 'user' | 'email_change'
>

type Services = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Finds the account of a link. Returns null for a used, expired or unknown link. */
export async function findLinkOwner(
  { token }: MailedLink,
  { graphql, now }: Services,
  requestId: string,
): Promise<LinkOwner | null> {
  const { account_link_by_pk: row } = await graphql.LinkOwner(
    { token_hash: hashToken(token) },
    { 'x-request-id': requestId },
  )
  return row && Date.parse(row.expires_at) > now() ? row : null
}

/** The error page of mailed links. A malformed request usually comes from an incompletely copied link. */
export const LINK_ERROR_PAGE = smallErrorPage(linkFault)

function linkFault({ status, code }: ApiError): Page {
  if (code === 'rate_limited')
    return { title: 'Too many attempts', text: 'Wait a minute, then follow the link again.' }
  if (status >= 500)
    return { title: 'That did not work', text: 'Your link still works. Try again shortly.' }
  return {
    title: 'This link is not complete',
    text: 'Copy the whole link from the e-mail, or ask for a new link.',
    portalLink: PORTAL_HOME,
  }
}
