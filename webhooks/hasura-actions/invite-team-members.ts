import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import { isEmail, normaliseEmail } from '../accounts/email-address.ts'
import { hasuraAction, idText } from './action.ts'

const address = z.string().transform(normaliseEmail).refine(isEmail, 'Must be an e-mail address.')

/**
 * Invites people to a team by e-mail, at the request of one of its owners.
 *
 * @returns `{ emails }`: those who are now invited. Members are left out, and so is everybody beyond
 *   the hundred that the caller may invite in a day, over all their teams.
 * @throws permission_denied, alike for a team that does not exist and for one that is not the caller's
 */
export const inviteTeamMembers = hasuraAction(
  z.object({ team_id: idText, emails: z.array(address).min(1).max(20) }),
  ({ graphql }) =>
    async ({ team_id, emails }, { userId, headers }) => {
      const caller = { user_id: userId, team_id }
      const { invite_team_members: invited } = await graphql.InviteTeamMembers(
        { ...caller, emails },
        headers,
      )
      if (invited.length > 0) return { emails: invited.map(({ email }) => email) }
      const { membership: owners } = await graphql.IsOwner(caller, headers)
      if (owners.length === 0) throw new ApiError('permission_denied')
      return { emails: [] }
    },
)
