import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { formatApiKey, hashApiKey, makeApiKeySecret } from '../credentials/api-key.ts'
import { displayName } from '../route/input-text.ts'
import { hasuraAction, idText } from './action.ts'

/**
 * Makes an API key for a team, at the request of one of its owners.
 *
 * @returns `{ id, api_key }`; the key's text is shown here and never again
 * @throws permission_denied, alike for a team that does not exist and for one that is not the caller's
 */
export const createApiKey = hasuraAction(
  z.object({ team_id: idText, name: displayName }),
  ({ graphql, peppers }) =>
    async ({ team_id, name }, { userId, headers }) => {
      // The hash is bound to the id, so the id must be known before the row is made.
      const key = { id: `key_${randomUUID().replaceAll('-', '')}`, secret: makeApiKeySecret() }
      const secret_hash = hashApiKey(peppers, key)
      const { create_api_key: made } = await graphql.CreateApiKey(
        { user_id: userId, team_id, id: key.id, name, secret_hash },
        headers,
      )
      if (made.length === 0) throw new ApiError('permission_denied')
      return { id: key.id, api_key: formatApiKey(key) }
    },
)
