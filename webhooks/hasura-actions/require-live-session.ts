import { ApiError } from '../../lib/runtime/errors.ts'
import type { Sdk } from '../generated/sdk.ts'
import type { Caller } from './action.ts'

/**
 * Refuses a caller whose API key was revoked, or whose login ended, after the session began: a WebSocket keeps its session
 * for `WEBSOCKET_SESSION_SECONDS`. A session without a login is Hasura's admin, who acts as a user.
 *
 * @throws permission_denied
 */
export async function requireLiveSession(graphql: Sdk, caller: Caller): Promise<void> {
  if ('keyId' in caller) {
    const key = { id: caller.keyId, team_id: caller.teamId }
    const { api_key: active } = await graphql.ActiveKey(key, caller.headers)
    if (active.length === 0) throw ended('This API key has been revoked.')
  } else if (caller.loginId !== null) {
    const { login_by_pk: login } = await graphql.AuthHookUser(
      { login_id: caller.loginId },
      caller.headers,
    )
    if (login?.user_id !== caller.userId) throw ended('This login has ended.')
  }
}

function ended(detail: string): ApiError {
  return new ApiError('permission_denied', { detail })
}
