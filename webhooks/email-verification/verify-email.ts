import { requestContext } from '../../lib/http/request-context.ts'
import { hashToken } from '../../lib/secrets/secret.ts'
import type { Sdk } from '../generated/sdk.ts'
import { buttonForm, linkErrorPage, type MailedLink } from '../mail/mailed-link.ts'
import { sendPage } from '../pages/send-page.ts'
import type { Operation } from '../route/operation.ts'

/**
 * The page that the mailed link leads to. It changes nothing by itself: mail scanners follow links, but
 * only a person presses the button.
 */
export const askToVerifyEmail: Operation<unknown, MailedLink> = {
  tag: 'Accounts',
  summary: 'The page that the mailed link leads to',
  answers: { 200: 'text/html' },
  errors: [],
  errorPage: linkErrorPage,
  handle: () => (link, _request, response) =>
    sendPage(response, {
      title: 'Verify your e-mail address',
      text: 'Press the button if you signed up with the address that this link was sent to.',
      form: buttonForm('verify-email', link, 'Verify my address'),
    }),
}

/** What the button does: uses up the link and shows the outcome. */
export const verifyEmail: Operation<{ graphql: Sdk }, MailedLink> = {
  tag: 'Accounts',
  summary: "Verify an e-mail address: what the page's button sends",
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage: linkErrorPage,
  handle:
    ({ graphql }) =>
    async ({ token }, _request, response) => {
      const { verify_email: verified } = await graphql.VerifyEmail(
        { token_hash: hashToken(token) },
        { 'x-request-id': requestContext.get(response).requestId },
      )
      sendPage(response, verified.length > 0 ? ADDRESS_VERIFIED : LINK_OVER)
    },
}

const ADDRESS_VERIFIED = {
  title: 'Your address is verified',
  text: 'You can close this page and continue where you signed up.',
}

const LINK_OVER = {
  status: 400,
  title: 'This link no longer works',
  text: 'A link works once, within 24 hours. If your address is not verified yet, ask for a new link.',
}
