import { isolateBidi } from '../../lib/http/html.ts'
import { requestContext } from '../../lib/http/request-context.ts'
import { hashToken } from '../../lib/secrets/secret.ts'
import type { Sdk } from '../generated/sdk.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Operation } from '../route/operation.ts'
import { buttonForm } from './link-forms.ts'
import { findLinkOwner, linkErrorPage, type MailedLink } from './mailed-link.ts'

type ChangeServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The page that both mailboxes of a change of address get a link to. */
export const askToConfirmEmailChange: Operation<ChangeServices, MailedLink> = {
  tag: 'Accounts',
  summary: 'The page that the links for a change of address lead to',
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: linkErrorPage,
  handle: (services) => async (link, _request, response) => {
    const owner = await findLinkOwner(link, services, requestContext.get(response).requestId)
    if (!owner?.email_change) return sendPage(response, CHANGE_OVER)
    const [from, to] = [owner.user.email, owner.email_change.email].map(isolateBidi)
    sendPage(response, {
      title: 'Change your e-mail address',
      text: `The address of the account ${from} becomes ${to}, once both mailboxes have confirmed it. If you did not ask for this, close this page and change your password.`,
      form: buttonForm({ path: 'change-email', token: link.token, text: 'Confirm the change' }),
    })
  },
}

/** What the button does: confirms the change for this mailbox, and makes it when the other one has confirmed it. */
export const confirmEmailChange: Operation<ChangeServices, MailedLink> = {
  tag: 'Accounts',
  summary: "Confirm a change of address: what the page's button sends",
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: linkErrorPage,
  handle:
    ({ graphql }) =>
    async ({ token }, _request, response) => {
      const { confirm_email_change: changes } = await graphql.ConfirmEmailChange(
        { token_hash: hashToken(token) },
        { 'x-request-id': requestContext.get(response).requestId },
      )
      const [change] = changes
      if (!change) return sendPage(response, CHANGE_OVER)
      const isMade = change.is_confirmed_by_old && change.is_confirmed_by_new
      sendPage(response, isMade ? ADDRESS_CHANGED : OTHER_MAILBOX_NEXT)
    },
}

const ADDRESS_CHANGED = {
  title: 'Your address is changed',
  text: 'You can close this page. From now on, log in with the new address.',
}

const OTHER_MAILBOX_NEXT = {
  title: 'Confirmed',
  text: 'Now follow the link that was sent to the other address.',
}

const CHANGE_OVER = {
  status: 400,
  title: 'This link no longer works',
  text: 'A link works once, within an hour, unless the new address belongs to another account by now. Begin the change again.',
}
