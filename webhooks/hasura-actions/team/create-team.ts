import { z } from 'zod'
import { displayName } from '../../route/input-text.ts'
import { hasuraAction, noUserError } from '../action.ts'

/**
 * Creates a team that the caller owns.
 *
 * @returns `{ team_id }`
 * @throws unauthenticated for a deleted account; quota_exceeded
 */
export const createTeam = hasuraAction(
  z.object({ name: displayName }),
  ({ graphql }) =>
    async ({ name }, { userId, headers }) => {
      const { create_team } = await graphql.CreateTeam({ user_id: userId, name }, headers)
      const [team] = create_team
      if (!team) throw noUserError()
      return { team_id: team.id }
    },
)
