import { ApiError } from '../../lib/runtime/errors.ts'
import type { Sdk } from '../generated/sdk.ts'
import type { Caller } from './action.ts'

/**
 * Refuses a caller if the API key was revoked, or the login ended, after the session began. A WebSocket keeps its session
 * for `WEBSOCKET_SESSION_SECONDS`, so this must be checked again. Accepts a session without a login: in it, Hasura's
 * admin acts as a user.
 *
 * @throws permission_denied
 */
export async function requireLiveSession(graphql: Sdk, caller: Caller): Promise<void> {
  if ('keyId' in caller) {
    const key = { id: caller.keyId, team_id: caller.teamId }
    const { api_key: active } = await graphql.ActiveKey(key, caller.headers)
    if (active.length === 0) throw permissionDenied('This API key has been revoked.')
  } else if (caller.loginId !== null) {
    const { login_by_pk: login } = await graphql.AuthHookUser(
      { login_id: caller.loginId },
      caller.headers,
    )
    if (login?.user_id !== caller.userId) throw permissionDenied('This login has ended.')
  }
}

function permissionDenied(detail: string): ApiError {
  return new ApiError('permission_denied', { detail })
}
