import type { Response } from 'express'
import { isolateBidi } from '../../lib/design/html.ts'
import { requestContext } from '../../lib/runtime/http/request-context.ts'
import { callerAddress } from '../../lib/runtime/limits/rate-limiter.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import type { Operation } from '../../lib/runtime/web/operation.ts'
import { CHANGE_ADDRESS_AGAIN, PORTAL_HOME } from '../pages/portal-links.ts'
import { type Page, sendPage } from '../pages/send-page.ts'
import { buttonForm, currentPasswordForm } from './link-forms.ts'
import { askAgain, type MailboxServices } from './mailbox-pages.ts'
import {
  findLinkOwner,
  LINK_ERROR_PAGE,
  type LinkOwner,
  type MailedLink,
  type PasswordForm,
} from './mailed-link.ts'

/** Shows the page behind the two links for a change of address. */
export const askToConfirmEmailChange: Operation<MailboxServices, MailedLink> = {
  tag: 'Accounts',
  summary: 'The page behind the links for a change of address',
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: LINK_ERROR_PAGE,
  handle: (services) => async (link, _request, response) => {
    const change = await findChange(link, services, response)
    sendPage(response, change ? changePage(link, change) : CHANGE_OVER)
  },
}

/**
 * Handles the form of the page: confirms the change for one mailbox. The second confirmation changes the address.
 *
 * The form for the new mailbox also requires the account's password. Otherwise an attacker could enter a victim's
 * address in the attacker's account. If the victim then pressed the button, the attacker's account would get the victim's
 * address and invites.
 */
export const confirmEmailChange: Operation<MailboxServices, PasswordForm> = {
  tag: 'Accounts',
  summary: 'Confirm a change of address with the form behind the link',
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: LINK_ERROR_PAGE,
  handle: (services) => async (form, request, response) => {
    const change = await findChange(form, services, response)
    if (!change) return sendPage(response, CHANGE_OVER)
    const { password_hash } = change.user
    const isProven =
      !change.isNew ||
      (await services.passwords.verify(password_hash, form.password, callerAddress(request)))
    if (!isProven) return sendPage(response, askAgain(changePage(form, change), WRONG_PASSWORD))
    const { confirm_email_change: changes } = await services.graphql.ConfirmEmailChange(
      { token_hash: hashToken(form.token), known_hash: change.isNew ? password_hash : null },
      { 'x-request-id': requestContext.get(response).requestId },
    )
    const [confirmation] = changes
    if (!confirmation) return sendPage(response, CHANGE_OVER)
    const isDone = confirmation.is_confirmed_by_old && confirmation.is_confirmed_by_new
    sendPage(response, isDone ? ADDRESS_CHANGED : OTHER_MAILBOX_NEXT)
  },
}

/** A change of an account's address. `isNew` is true if the link was mailed to the new address. */
type Change = { user: LinkOwner['user']; email: string; isNew: boolean }

async function findChange(
  link: MailedLink,
  services: MailboxServices,
  response: Response,
): Promise<Change | null> {
  const owner = await findLinkOwner(link, services, requestContext.get(response).requestId)
  if (!owner?.email_change) return null
  const { user, email_change, kind } = owner
  return { user, email: email_change.email, isNew: kind === 'confirm_new_address' }
}

function changePage({ token }: MailedLink, { user, email, isNew }: Change): Page {
  const [from, to] = [user.email, email].map(isolateBidi)
  const form = { path: 'change-email', token, text: 'Confirm the change' }
  return {
    title: 'Change your e-mail address',
    text: `The address of the account ${from} changes to ${to} once both mailboxes have confirmed it. If you did not ask for this, ${isNew ? 'close this page' : 'close this page and change your password'}.`,
    form: isNew ? currentPasswordForm(form, user.email) : buttonForm(form),
  }
}

const WRONG_PASSWORD = { mistake: 'That is not the password of this account.' }

const ADDRESS_CHANGED = {
  title: 'Your address has changed',
  text: 'You can close this page. From now on, log in with the new address.',
  portalLink: PORTAL_HOME,
}

const OTHER_MAILBOX_NEXT = {
  title: 'Confirmed',
  text: 'Now follow the link that we sent to the other address.',
  portalLink: PORTAL_HOME,
}

const CHANGE_OVER = {
  status: 400,
  title: 'This link no longer works',
  text: 'A link works once, within an hour. It ends if you start another change, or if another account takes the new address. Start the change again.',
  portalLink: CHANGE_ADDRESS_AGAIN,
}
