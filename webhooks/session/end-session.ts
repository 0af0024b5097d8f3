import { z } from 'zod'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { LoginTokens } from '../credentials/login-token.ts'
import { clearSessionCookie, sessionToken } from '../credentials/session-cookie.ts'
import type { Sdk } from '../generated/sdk.ts'
import { requireSameOrigin } from './require-same-origin.ts'

export type EndSessionServices = { graphql: Sdk; loginTokens: LoginTokens; baseUrl: string }

const DONE = { success: true } as const

/**
 * Ends the portal's login in this browser, and deletes the cookie. Copies of the login's token become invalid, too.
 * Also succeeds if the browser has no login.
 *
 * @throws unauthenticated for other websites, unavailable
 */
export const endSession = jsonOperation(
  {
    tag: 'Portal',
    summary: 'Log out of the portal in this browser',
    output: z.strictObject({ success: z.literal(true) }),
    errors: ['unauthenticated', 'unavailable'],
    before: requireSameOrigin,
  },
  ({ graphql, loginTokens, baseUrl }: EndSessionServices) =>
    async (_input: unknown, { requestId }: Context, request, response) => {
      const token = sessionToken(request.headers, baseUrl)
      const login = token === null ? null : await loginTokens.read(token)
      if (login) await graphql.EndLogin({ id: login.loginId }, { 'x-request-id': requestId })
      clearSessionCookie(response, baseUrl)
      return DONE
    },
)
