import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { LoginTokens } from '../credentials/login-token.ts'
import { sessionToken } from '../credentials/session-cookie.ts'
import type { Sdk } from '../generated/sdk.ts'
import { requireSameOrigin } from './require-same-origin.ts'

type CurrentSessionServices = { graphql: Sdk; loginTokens: LoginTokens; baseUrl: string }

/**
 * Returns the id of the login in this browser, because the portal's page cannot read the cookie.
 *
 * @returns `{ login_id }`, the id of the row in GraphQL
 * @throws unauthenticated for other websites, and if the browser is not logged in; unavailable
 */
export const currentSession = jsonOperation(
  {
    tag: 'Portal',
    summary: 'The login of the portal in this browser',
    output: z.strictObject({ login_id: z.string() }),
    errors: ['unauthenticated', 'unavailable'],
    before: requireSameOrigin,
  },
  ({ graphql, loginTokens, baseUrl }: CurrentSessionServices) =>
    async (_input: unknown, { requestId }: Context, request) => {
      const token = sessionToken(request.headers, baseUrl)
      const login = token === null ? null : await loginTokens.read(token)
      if (!login) throw new ApiError('unauthenticated')
      const { loginId: login_id, userId } = login
      const { login_by_pk: row } = await graphql.AuthHookUser(
        { login_id },
        { 'x-request-id': requestId },
      )
      if (row?.user_id !== userId) throw new ApiError('unauthenticated')
      return { login_id }
    },
)
