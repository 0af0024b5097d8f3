import { z } from 'zod'
import { ApiError } from '../../../lib/errors.ts'
import { hasuraAction } from '../action.ts'

/**
 * Deletes the caller's account, and with it the teams that nobody else is in.
 *
 * @returns `{ success: true }`
 * @throws last_owner when a team with other members would be left without an owner
 */
export const deleteAccount = hasuraAction(
  z.object({}),
  ({ graphql }) =>
    async (_input, { userId, headers }) => {
      const { delete_account: deleted } = await graphql.DeleteAccount({ user_id: userId }, headers)
      if (deleted.length === 0) throw new ApiError('last_owner')
      return { success: true }
    },
)
