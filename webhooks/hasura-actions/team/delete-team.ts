import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { hasuraAction, idText } from '../action.ts'

/**
 * Deletes a team for all its members, at the request of one of its owners: its keys are revoked and its apps archived.
 *
 * @returns `{ success: true }`
 * @throws permission_denied, alike for a team that does not exist and for one that is not the caller's
 */
export const deleteTeam = hasuraAction(
  z.object({ team_id: idText }),
  ({ graphql }) =>
    async ({ team_id }, { userId, headers }) => {
      const { delete_team: deleted } = await graphql.DeleteTeam(
        { user_id: userId, team_id },
        headers,
      )
      if (deleted.length === 0) throw new ApiError('permission_denied')
      return { success: true }
    },
)
