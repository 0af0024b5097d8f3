import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { formatApiKey, hashApiKey, makeApiKeySecret } from '../credentials/api-key.ts'
import { hasuraAction, idText } from './action.ts'

/**
 * Gives an API key a new secret, at the request of an owner of its team; the old one stops working at
 * once.
 *
 * @returns `{ api_key }`; shown here and never again
 * @throws permission_denied, alike for a key that is revoked, does not exist, or is another team's
 */
export const resetApiKey = hasuraAction(
  z.object({ id: idText }),
  ({ graphql, peppers }) =>
    async ({ id }, { userId, headers }) => {
      const key = { id, secret: makeApiKeySecret() }
      const secret_hash = hashApiKey(peppers, key)
      const { reset_api_key: changed } = await graphql.ResetApiKey(
        { user_id: userId, id, secret_hash },
        headers,
      )
      if (changed.length === 0) throw new ApiError('permission_denied')
      return { api_key: formatApiKey(key) }
    },
)
