import express, { type RequestHandler } from 'express'
import { z } from 'zod'
import { hashToken } from '../../lib/secret.ts'
import type { Sdk } from '../generated/sdk.ts'
import { sendPage } from '../page.ts'

/** What is in the link, and in the form: 32 bytes as base64url. */
const Link = z.object({ token: z.string().regex(/^[\w-]{43}$/) })

/**
 * The page that the mailed link leads to. It changes nothing by itself: scanners of mail follow
 * links, and only a person presses the button.
 */
export const askToVerifyEmail: RequestHandler = (request, response) => {
  const link = Link.safeParse(request.query)
  if (!link.success) return sendPage(response, INCOMPLETE)
  sendPage(response, {
    title: 'Verify your e-mail address',
    text: 'Press the button if you signed up with the address that this link was sent to.',
    form: `<form method="post" action="verify-email"><input type="hidden" name="token" value="${link.data.token}"><button>Verify my address</button></form>`,
  })
}

/** What the button does: uses the link up and says how that went, as a page. */
export function verifyEmail({ graphql }: { graphql: Sdk }): RequestHandler[] {
  const answer: RequestHandler = async (request, response) => {
    const link = Link.safeParse(request.body)
    if (!link.success) return sendPage(response, INCOMPLETE)
    const { requestId } = response.locals.context
    const { verify_email: verified } = await graphql.VerifyEmail(
      { token_hash: hashToken(link.data.token) },
      { 'x-request-id': requestId },
    )
    sendPage(response, verified.length > 0 ? VERIFIED : OVER)
  }
  return [express.urlencoded({ extended: false, limit: 1_000 }), answer]
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

const INCOMPLETE = {
  status: 400,
  title: 'This link is not complete',
  text: 'Copy the whole link from the e-mail, or ask for a new one.',
}
