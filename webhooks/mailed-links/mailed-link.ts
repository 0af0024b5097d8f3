import { z } from 'zod'
import type { ApiError } from '../../lib/runtime/errors.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import type { LinkOwnerQuery, Sdk } from '../generated/sdk.ts'
import type { Page } from '../pages/send-page.ts'
import { PORTAL_HOME } from '../pages/ways-on.ts'
import { smallErrorPage } from '../route/show-errors.ts'

/** The token in a mailed link, and in the form on its page: 32 bytes as base64url. */
export const MailedLinkInput = z.object({
  token: z.string().regex(/^[\w-]{43}$/, 'Must be the token of a mailed link.'),
})

export type MailedLink = z.infer<typeof MailedLinkInput>

/** What the form of a page sends that asks for a password: the account's, or another that is chosen. */
export const PasswordFormInput = MailedLinkInput.extend({
  password: z.string().max(1_000).default(''),
  new_password: z.string().max(1_000).default(''),
})

export type PasswordForm = z.infer<typeof PasswordFormInput>

/** What the form of an invite sends: the same, or a name and a password for a new account. */
export const InviteFormInput = PasswordFormInput.extend({
  name: z.string().max(1_000).default(''),
})

export type InviteForm = z.infer<typeof InviteFormInput>

/** The account that a link was mailed to, as long as the link works. */
export type LinkOwner = Pick<
  NonNullable<LinkOwnerQuery['account_link_by_pk']>,
  'kind' | 'user' | 'email_change'
>

type Services = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Whose link this is; null when it was used, has expired or never existed. */
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

/** How errors are shown; a malformed request comes from a link that was not copied whole. */
export const LINK_ERROR_PAGE = smallErrorPage(linkFault)

function linkFault({ status, code }: ApiError): Page {
  if (code === 'rate_limited')
    return { title: 'Too many tries', text: 'Wait a minute, then follow the link again.' }
  if (status >= 500)
    return { title: 'That did not work', text: 'Your link still works: try again shortly.' }
  return {
    title: 'This link is not complete',
    text: 'Copy the whole link from the e-mail, or ask for a new one.',
    way: PORTAL_HOME,
  }
}
