import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { createApiKeySecret, formatApiKey, hashApiKey } from '../credentials/api-key.ts'
import { hasuraAction, idText } from './action.ts'

/**
 * Gives an API key a new secret. The old secret stops working at once. The caller must be an owner of the team.
 *
 * @returns `{ api_key }`; the key is returned only here
 * @throws permission_denied for a revoked or unknown key, and for the key of a team that the caller does not own
 */
export const resetApiKey = hasuraAction(
  z.object({ id: idText }),
  ({ graphql, peppers }) =>
    async ({ id }, { userId, headers }) => {
      const key = { id, secret: createApiKeySecret() }
      const secret_hash = hashApiKey(peppers, key)
      const { reset_api_key: keys } = await graphql.ResetApiKey(
        { user_id: userId, id, secret_hash },
        headers,
      )
      if (keys.length === 0) throw new ApiError('permission_denied')
      return { api_key: formatApiKey(key) }
    },
)
