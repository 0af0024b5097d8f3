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
import type { NoteKeyUse } from '../credentials/note-key-use.ts'
import type { Sdk } from '../generated/sdk.ts'
import { MAX_RELAYED_BYTES } from '../route/body-sizes.ts'

/** What Hasura posts: its client's headers, and the request, which plays no part here. */
export const AuthHookInput = z.object({ headers: z.record(z.string(), z.string()) })

type SessionServices = {
  graphql: Sdk
  peppers: Secrets
  loginTokens: LoginTokens
  noteKeyUse: NoteKeyUse
}

export type AuthHookServices = SessionServices & {
  /** How long a WebSocket may use the session that the hook gave when it was opened. */
  socketSessionSeconds: number
}

const Session = z.object({
  'x-hasura-role': z.string(),
  'x-hasura-team-id': z.string().optional(),
  /** For the audit trail only: no permission uses it. */
  'x-hasura-api-key-id': z.string().optional(),
  'x-hasura-user-id': z.string().optional(),
  /** For changing a password, which ends all other logins. */
  'x-hasura-login-id': z.string().optional(),
})

type Session = z.infer<typeof Session>

const AuthHookAnswer = Session.extend({ 'Cache-Control': z.string() })

/**
 * Tells Hasura in which role a request runs: that of a team's API key, or of a person who logged in.
 *
 * Nothing is cached: a key stops working as soon as its row says so, and a login as soon as its row is deleted; a
 * person gets the role `user`, with the token that they already have, as soon as their address is verified. A WebSocket
 * is authenticated once, when it opens; Hasura closes it after the time in `Cache-Control`, and its client
 * authenticates anew.
 *
 * @returns the session variables of the request, and for how long a socket may keep them
 * @throws unauthenticated for no credentials, and alike for unknown, revoked and wrong ones
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

/** In which role the sender of an `Authorization` header acts; null for wrong credentials, and for none. */
export async function findSession(
  authorization: string | undefined,
  services: SessionServices,
  headers: Record<string, string>,
): Promise<Session | null> {
  const credentials = bearerToken(authorization)
  const find = credentials.startsWith('api_') ? apiKeySession : userSession
  return find(credentials, services, headers)
}

/** Why credentials that `findSession` refuses are refused, in words for whoever sent them. */
export async function explainCredentials(
  authorization: string | undefined,
  { graphql, peppers }: Pick<SessionServices, 'graphql' | 'peppers'>,
  headers: Record<string, string>,
): Promise<string> {
  const credentials = bearerToken(authorization)
  const key = parseApiKey(credentials)
  if (credentials && !credentials.startsWith('api_'))
    return 'This is neither an API key, which begins with api_, nor the token of a login that is still valid.'
  if (!key) return explainMalformed(authorization)
  const { api_key_by_pk: row } = await graphql.AuthHook({ id: key.id }, headers)
  return explainApiKey(peppers, key, row)
}

async function apiKeySession(
  credentials: string,
  { graphql, peppers, noteKeyUse }: SessionServices,
  headers: Record<string, string>,
): Promise<Session | null> {
  const key = parseApiKey(credentials)
  if (!key) return null
  const { api_key_by_pk: row } = await graphql.AuthHook({ id: key.id }, headers)
  if (!isUsableApiKey(peppers, key, row)) return null
  noteKeyUse(row)
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
