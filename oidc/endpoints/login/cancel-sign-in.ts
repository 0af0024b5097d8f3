import { z } from 'zod'
import type { Operation } from '../../../lib/runtime/web/operation.ts'
import type { SignInProvider } from '../../provider/provider.ts'
import { showErrorPage } from '../../provider/show-errors.ts'
import { NextPage } from './next-page.ts'
import { type CookieKeys, requireCsrfToken, requireSignIn, storeResult } from './sign-in.ts'

export type CancelServices = { provider: () => SignInProvider; cookieKeys: CookieKeys }

const MAX_BODY_BYTES = 1_024

/** The fields that the page sends. */
export const CancelInput = z.object({ csrf: z.string().default('') })

const CANCELLED = { error: 'access_denied', error_description: 'The person did not sign in.' }

/**
 * `POST /login/:uid/cancel`: returns the person to the app without a sign-in. The app gets the error `access_denied`.
 *
 * @returns `{ redirect_to }`
 * @throws sign_in_expired, invalid_request, permission_denied
 */
export const cancelSignIn: Operation<CancelServices, z.infer<typeof CancelInput>> = {
  tag: 'Pages',
  summary: 'Go back to the app without a sign-in',
  answers: { 200: NextPage },
  errors: ['sign_in_expired', 'permission_denied', 'unavailable'],
  errorPage: showErrorPage,
  maxBytes: MAX_BODY_BYTES,
  invalid: 'invalid_request',
  handle: (services) => async (input, request, response) => {
    const signIn = await requireSignIn(services, request, response)
    requireCsrfToken(services.cookieKeys, signIn.uid, input.csrf)
    response.json({ redirect_to: await storeResult(signIn, CANCELLED) })
  },
}
