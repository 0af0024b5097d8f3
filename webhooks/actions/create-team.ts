import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { displayName } from '../input-text.ts'
import { action } from './action.ts'

/**
 * Makes a team that the caller owns.
 *
 * @returns `{ team_id }`
 */
export const createTeam = action(
  z.object({ name: displayName }),
  ({ graphql }) =>
    async ({ name }, { userId, headers }) => {
      const { create_team } = await graphql.CreateTeam({ user_id: userId, name }, headers)
      const [team] = create_team
      if (!team) throw new ApiError('internal_error')
      return { team_id: team.id }
    },
)
