import { z } from 'zod'
import type { ApiError } from '../../lib/errors.ts'
import { hashToken } from '../../lib/secret.ts'
import type { Sdk } from '../generated/sdk.ts'
import type { Operation } from '../operation.ts'
import { type Page, sendPage } from '../page.ts'

/** What is in the link, and in the form: 32 bytes as base64url. */
export const VerifyEmailInput = z.object({ token: z.string().regex(/^[\w-]{43}$/) })

type Input = z.infer<typeof VerifyEmailInput>

/**
 * The page that the mailed link leads to. It changes nothing by itself: scanners of mail follow
 * links, and only a person presses the button.
 */
export const askToVerifyEmail: Operation<unknown, Input> = {
  tag: 'Accounts',
  summary: 'The page that the mailed link leads to',
  answers: { 200: 'text/html' },
  errors: [],
  errorPage,
  handle:
    () =>
    ({ token }, _request, response) =>
      sendPage(response, {
        title: 'Verify your e-mail address',
        text: 'Press the button if you signed up with the address that this link was sent to.',
        form: `<form method="post" action="verify-email"><input type="hidden" name="token" value="${token}"><button>Verify my address</button></form>`,
      }),
}

/** What the button does: uses the link up and says how that went, as a page. */
export const verifyEmail: Operation<{ graphql: Sdk }, Input> = {
  tag: 'Accounts',
  summary: "Verify an e-mail address: what the page's button sends",
  answers: { 200: 'text/html', 400: 'text/html' },
  errors: ['unavailable'],
  errorPage,
  handle:
    ({ graphql }) =>
    async ({ token }, _request, response) => {
      const { verify_email: verified } = await graphql.VerifyEmail(
        { token_hash: hashToken(token) },
        { 'x-request-id': response.locals.context.requestId },
      )
      sendPage(response, verified.length > 0 ? VERIFIED : OVER)
    },
}

const VERIFIED = {
  title: 'Your address is verified',
  text: 'You can close this page and go on where you signed up.',
}

const OVER = {
  status: 400,
  title: 'This link no longer works',
  text: 'A link works once, within 24 hours. If your address is not verified yet, ask for a new link.',
}

/** A request that is not what our own page sends comes from a link that was not copied whole. */
function errorPage({ status, code }: ApiError): Page {
  if (code === 'rate_limited')
    return { status, title: 'Too many tries', text: 'Wait a minute, then follow the link again.' }
  if (status >= 500)
    return { status, title: 'That did not work', text: 'Your link still works: try again shortly.' }
  return {
    status,
    title: 'This link is not complete',
    text: 'Copy the whole link from the e-mail, or ask for a new one.',
  }
}
