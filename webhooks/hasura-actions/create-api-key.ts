import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { createApiKeySecret, formatApiKey, hashApiKey } from '../credentials/api-key.ts'
import { displayName } from '../route/input-text.ts'
import { hasuraAction, idText } from './action.ts'

/**
 * Creates an API key for a team. The caller must be an owner of the team.
 *
 * @returns `{ id, api_key }`; the key is returned only here
 * @throws permission_denied for an unknown team, and for a team that the caller does not own; quota_exceeded; team_blocked
 */
export const createApiKey = hasuraAction(
  z.object({ team_id: idText, name: displayName }),
  ({ graphql, peppers }) =>
    async ({ team_id, name }, { userId, headers }) => {
      // The hash includes the id, so the id must be known before the row is inserted.
      const key = { id: `key_${randomUUID().replaceAll('-', '')}`, secret: createApiKeySecret() }
      const secret_hash = hashApiKey(peppers, key)
      const { create_api_key: keys } = await graphql.CreateApiKey(
        { user_id: userId, team_id, id: key.id, name, secret_hash },
        headers,
      )
      if (keys.length === 0) throw new ApiError('permission_denied')
      return { id: key.id, api_key: formatApiKey(key) }
    },
)
