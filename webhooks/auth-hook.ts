import { z } from 'zod'
import { ApiError } from '../lib/errors.ts'
import { matchesApiKey, parseApiKey } from './api-key.ts'
import type { Sdk } from './generated/sdk.ts'
import type { Context } from './route.ts'

/** What Hasura posts: all headers of its client, and the request, which decides nothing here. */
export const AuthHookInput = z.object({ headers: z.record(z.string(), z.string()) })

export type AuthHookServices = { graphql: Sdk; pepper: string }

/**
 * Tells Hasura in which role a request runs: that of a team's API key.
 *
 * Nothing is cached: a key is dead the moment its row says so.
 *
 * @returns the session variables of the request
 * @throws unauthenticated for no credentials, and alike for unknown, revoked and wrong ones
 * @see https://hasura.io/docs/2.0/auth/authentication/webhook/
 */
export function authHook({ graphql, pepper }: AuthHookServices) {
  return async ({ headers }: z.infer<typeof AuthHookInput>, { requestId }: Context) => {
    const key = parseApiKey(bearer(headers))
    if (!key) throw new ApiError('unauthenticated')
    const { api_key_by_pk: row } = await graphql.AuthHook(
      { id: key.id },
      { 'x-request-id': requestId },
    )
    const matches = matchesApiKey(pepper, key, row?.secret_hash ?? '')
    if (!row?.is_active || !matches) throw new ApiError('unauthenticated')
    return { 'x-hasura-role': 'api_key', 'x-hasura-team-id': row.team_id }
  }
}

function bearer(headers: Record<string, string>): string {
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization')
  const [, token] = /^Bearer +(\S+)$/i.exec((name && headers[name]) ?? '') ?? []
  return token ?? ''
}
