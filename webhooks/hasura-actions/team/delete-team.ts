import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { hasuraAction, idText } from '../action.ts'

/**
 * Deletes a team for all its members, revokes its keys and archives its apps. The caller must be an owner of the team.
 *
 * @returns `{ success: true }`
 * @throws permission_denied for an unknown team, and for a team that the caller does not own
 */
export const deleteTeam = hasuraAction(
  z.object({ team_id: idText }),
  ({ graphql }) =>
    async ({ team_id }, { userId, headers }) => {
      const { delete_team: teams } = await graphql.DeleteTeam({ user_id: userId, team_id }, headers)
      if (teams.length === 0) throw new ApiError('permission_denied')
      return { success: true }
    },
)
