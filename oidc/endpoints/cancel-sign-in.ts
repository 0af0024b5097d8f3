import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { SignInProvider } from '../provider/provider.ts'
import { parseTextAsJson, readJsonText } from './json-body.ts'
import { type CookieKeys, requireCsrfToken, requireSignIn, storeResult } from './sign-in.ts'

export type CancelServices = { provider: () => SignInProvider; cookieKeys: CookieKeys }

const MAX_BODY_BYTES = 1_024

const CancelInput = z.object({ csrf: z.string() })

const CANCELLED = { error: 'access_denied', error_description: 'The person did not sign in.' }

/**
 * `POST /login/:uid/cancel`: sends the person back without a sign-in; the app receives the error
 * `access_denied`.
 *
 * @returns `{ redirect_to }`
 * @throws sign_in_expired, invalid_request, permission_denied
 */
export function cancelSignIn(services: CancelServices): RequestHandler[] {
  const answer: RequestHandler = async (request, response) => {
    const signIn = await requireSignIn(services, request, response)
    const { data } = CancelInput.safeParse(parseTextAsJson(request))
    requireCsrfToken(services.cookieKeys, signIn.uid, data?.csrf ?? '')
    response.json({ redirect_to: await storeResult(signIn, CANCELLED) })
  }
  return [readJsonText(MAX_BODY_BYTES), answer]
}
