import type { Request, Response } from 'express'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { callerAddress } from '../../lib/runtime/limits/rate-limiter.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { deviceToRemember, setDeviceCookie } from '../accounts/device.ts'
import { newPassword } from '../accounts/new-password.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Sdk } from '../generated/sdk.ts'
import { type Page, sendPage } from '../pages/send-page.ts'
import {
  findLinkOwner,
  LINK_ERROR_PAGE,
  type LinkOwner,
  type MailedLink,
  type PasswordForm,
} from './mailed-link.ts'

export type MailboxServices = {
  graphql: Sdk
  passwords: Passwords
  baseUrl: string
  /** Milliseconds since the epoch. */
  now: () => number
}

type MailboxPages = {
  /** The summaries of the operations in the OpenAPI document. */
  summaries: { ask: string; submit: string }
  /** True if the link is of the right kind, and the link's account still needs it. */
  acceptsOwner(owner: LinkOwner): boolean
  page(link: MailedLink, user: LinkOwner['user']): Page
  donePage: Page
  expiredPage: Page
}

type PageOperations = {
  ask: Operation<MailboxServices, MailedLink>
  submit: Operation<MailboxServices, PasswordForm>
}

/**
 * Creates the page behind a mailed link and its form. The form marks the address as verified. It may also change the
 * password, which ends all logins.
 *
 * Following the link changes nothing, since mail scanners follow links.
 */
export function createMailboxPages({
  summaries,
  acceptsOwner,
  page,
  donePage,
  expiredPage,
}: MailboxPages): PageOperations {
  const common = { tag: 'Accounts', errors: ['unavailable'], errorPage: LINK_ERROR_PAGE } as const
  const findOwner = async (link: MailedLink, services: MailboxServices, response: Response) => {
    const owner = await findLinkOwner(link, services, requestContext.get(response).requestId)
    return owner && acceptsOwner(owner) ? owner : null
  }
  return {
    ask: {
      ...common,
      summary: summaries.ask,
      answers: { 200: 'text/html', 400: 'text/html' },
      handle: (services) => async (link, _request, response) => {
        const owner = await findOwner(link, services, response)
        sendPage(response, owner ? page(link, owner.user) : expiredPage)
      },
    },
    submit: {
      ...common,
      summary: summaries.submit,
      answers: { 200: 'text/html', 400: 'text/html' },
      handle: (services) => async (form, request, response) => {
        const owner = await findOwner(form, services, response)
        if (!owner) return sendPage(response, expiredPage)
        const passwords = await readPasswords(form, owner, services, request)
        if ('mistake' in passwords)
          return sendPage(response, askAgain(page(form, owner.user), passwords))
        const device = deviceToRemember(request, services.baseUrl)
        const { accounts } = await services.graphql.OpenAccount(
          { token_hash: hashToken(form.token), ...passwords, devices: device.hashes },
          { 'x-request-id': requestContext.get(response).requestId },
        )
        if (accounts.length === 0) return sendPage(response, expiredPage)
        setDeviceCookie(response, device, services.baseUrl)
        sendPage(response, donePage)
      },
    },
  }
}

/** The hash of the current password (`known_hash`), or of a new password (`chosen_hash`). The other field is null. */
export type PasswordHashes = { known_hash: string | null; chosen_hash: string | null }

/** An error in the input of a form, as text for the page. */
export type Mistake = { mistake: string }

/**
 * Checks the current password of a form, or hashes its new password.
 *
 * @throws unavailable
 */
export async function readPasswords(
  { password, new_password }: PasswordForm,
  { user }: { user: Pick<LinkOwner['user'], 'password_hash'> },
  { passwords }: Pick<MailboxServices, 'passwords'>,
  request: Request,
): Promise<PasswordHashes | Mistake> {
  if (password) {
    const known_hash = user.password_hash
    const matches = await passwords.verify(known_hash, password, callerAddress(request))
    if (!matches) return { mistake: 'That is not the password of this account.' }
    return { known_hash, chosen_hash: null }
  }
  const choice = await readChosenPassword({ new_password }, { passwords }, request)
  return 'mistake' in choice ? choice : { known_hash: null, chosen_hash: choice.hash }
}

/** @throws unavailable */
export async function readChosenPassword(
  { new_password }: Pick<PasswordForm, 'new_password'>,
  { passwords }: Pick<MailboxServices, 'passwords'>,
  request: Request,
): Promise<{ hash: string } | Mistake> {
  if (!newPassword.safeParse(new_password).success)
    return { mistake: 'Enter a password of 8 to 200 characters.' }
  return { hash: await passwords.hash(new_password, callerAddress(request)) }
}

/** Returns the page again, with an error instead of its text. */
export function askAgain(page: Page, { mistake }: Mistake): Page {
  return { ...page, status: 400, text: mistake, isMistake: true }
}
