import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import type { Secrets } from '../../lib/runtime/secrets/secret.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import {
  explainApiKey,
  explainMalformed,
  isUsableApiKey,
  parseApiKey,
} from '../credentials/api-key.ts'
import { bearerToken } from '../credentials/bearer.ts'
import type { LoginTokens } from '../credentials/login-token.ts'
import type { RecordKeyUse } from '../credentials/record-key-use.ts'
import type { Sdk } from '../generated/sdk.ts'
import { MAX_RELAYED_BYTES } from '../route/body-sizes.ts'

/** The body that Hasura posts: the client's headers. Hasura also posts the client's request, which the hook ignores. */
export const AuthHookInput = z.object({ headers: z.record(z.string(), z.string()) })

type SessionServices = {
  graphql: Sdk
  peppers: Secrets
  loginTokens: LoginTokens
  recordKeyUse: RecordKeyUse
}

export type AuthHookServices = SessionServices & {
  /** How long a WebSocket may use the session that it got when it opened. */
  socketSessionSeconds: number
}

const Session = z.object({
  'x-hasura-role': z.string(),
  'x-hasura-team-id': z.string().optional(),
  /** For Hasura actions, the audit trail and the trigger that protects owners. No permission uses it. */
  'x-hasura-api-key-id': z.string().optional(),
  'x-hasura-user-id': z.string().optional(),
  /** For Hasura actions: they refuse an ended login, and a change of the password keeps only this login. */
  'x-hasura-login-id': z.string().optional(),
})

type Session = z.infer<typeof Session>

const AuthHookAnswer = Session.extend({ 'Cache-Control': z.string() })

/**
 * Tells Hasura the role of a request: the role of an API key or of a logged-in user.
 *
 * Nothing is cached, so a revoked key and an ended login stop working at once. As soon as a user's address is verified,
 * the same token gives the role `user`. Hasura authenticates a WebSocket only when it opens. Hasura closes the WebSocket
 * after the time in `Cache-Control`, and the client must then authenticate again.
 *
 * @returns the session variables of the request, and how long a socket may keep them
 * @throws unauthenticated for missing, unknown, revoked and wrong credentials, all with the same text
 * @see https://hasura.io/docs/2.0/auth/authentication/webhook/
 */
export const authHook = jsonOperation(
  {
    tag: 'Internal',
    summary: 'The role and session variables of a GraphQL request (auth hook)',
    output: AuthHookAnswer,
    errors: ['unauthenticated', 'unavailable'],
    maxBytes: MAX_RELAYED_BYTES,
  },
  (services: AuthHookServices) =>
    async ({ headers }: z.infer<typeof AuthHookInput>, { requestId }: Context) => {
      const authorization = authorizationHeader(headers)
      const session = await findSession(authorization, services, { 'x-request-id': requestId })
      if (!session) throw new ApiError('unauthenticated')
      return { ...session, 'Cache-Control': `max-age=${services.socketSessionSeconds}` }
    },
)

/** Finds the session of an `Authorization` header. Returns null for missing and for wrong credentials. */
export async function findSession(
  authorization: string | undefined,
  services: SessionServices,
  headers: Record<string, string>,
): Promise<Session | null> {
  const credentials = bearerToken(authorization)
  const find = credentials.startsWith('api_') ? apiKeySession : userSession
  return find(credentials, services, headers)
}

/** Explains to the caller why `findSession` refuses these credentials. */
export async function explainCredentials(
  authorization: string | undefined,
  { graphql, peppers }: Pick<SessionServices, 'graphql' | 'peppers'>,
  headers: Record<string, string>,
): Promise<string> {
  const credentials = bearerToken(authorization)
  const key = parseApiKey(credentials)
  if (credentials && !credentials.startsWith('api_'))
    return 'These credentials are neither an API key, which begins with api_, nor the token of a valid login.'
  if (!key) return explainMalformed(authorization)
  const { api_key_by_pk: row } = await graphql.AuthHook({ id: key.id }, headers)
  return explainApiKey(peppers, key, row)
}

async function apiKeySession(
  credentials: string,
  { graphql, peppers, recordKeyUse }: SessionServices,
  headers: Record<string, string>,
): Promise<Session | null> {
  const key = parseApiKey(credentials)
  if (!key) return null
  const { api_key_by_pk: row } = await graphql.AuthHook({ id: key.id }, headers)
  if (!isUsableApiKey(peppers, key, row)) return null
  recordKeyUse(row)
  return {
    'x-hasura-role': 'api_key',
    'x-hasura-team-id': row.team_id,
    'x-hasura-api-key-id': key.id,
  }
}

async function userSession(
  credentials: string,
  { graphql, loginTokens }: SessionServices,
  headers: Record<string, string>,
): Promise<Session | null> {
  const token = await loginTokens.read(credentials)
  if (!token) return null
  const { login_by_pk: login } = await graphql.AuthHookUser({ login_id: token.loginId }, headers)
  if (login?.user_id !== token.userId) return null
  return {
    'x-hasura-role': login.user.email_verified_at === null ? 'unverified_user' : 'user',
    'x-hasura-user-id': token.userId,
    'x-hasura-login-id': token.loginId,
  }
}

function authorizationHeader(headers: Record<string, string>): string | undefined {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization')
  return name && headers[name]
}
