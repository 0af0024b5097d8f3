import { z } from 'zod'
import { ApiError } from '../../../lib/errors.ts'
import { isEmail, normaliseEmail } from '../../accounts/email-address.ts'
import type { Sdk } from '../../generated/sdk.ts'
import { actingFor, type Caller, idText, teamAction } from '../action.ts'

const address = z.string().transform(normaliseEmail).refine(isEmail, 'Must be an e-mail address.')

/**
 * Invites people to a team by e-mail, at the request of one of its owners or API keys.
 *
 * @returns `{ emails }`: those who are now invited. Members are left out, and so is everybody beyond
 *   the hundred that a person may invite in a day, over all their teams; what keys invite counts as their owners'.
 * @throws permission_denied, alike for a team that does not exist and for one that is not the caller's
 */
export const inviteTeamMembers = teamAction(
  z.object({ team_id: idText, emails: z.array(address).min(1).max(20) }),
  ({ graphql }) =>
    async ({ team_id, emails }, caller) => {
      const { invite_team_members: invited } = await graphql.InviteTeamMembers(
        { ...actingFor(caller), team_id, emails },
        caller.headers,
      )
      if (invited.length === 0 && !(await mayInvite(graphql, team_id, caller)))
        throw new ApiError('permission_denied')
      return { emails: invited.map(({ email }) => email) }
    },
)

async function mayInvite(graphql: Sdk, team_id: string, caller: Caller): Promise<boolean> {
  if ('keyId' in caller) return caller.teamId === team_id
  const owner = { user_id: caller.userId, team_id }
  return (await graphql.IsOwner(owner, caller.headers)).membership.length > 0
}
