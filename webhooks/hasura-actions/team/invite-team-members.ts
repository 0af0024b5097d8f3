import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { isEmail, normaliseEmail } from '../../accounts/email-address.ts'
import type { Sdk } from '../../generated/sdk.ts'
import { actingFor, type Caller, idText, teamAction } from '../action.ts'
import { requireLiveSession } from '../require-live-session.ts'

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
      if (invited.length === 0) await requireInviter(graphql, team_id, caller)
      return { emails: invited.map(({ email }) => email) }
    },
)

/** Refuses a caller who may not invite, after a call that invited no person. */
async function requireInviter(graphql: Sdk, team_id: string, caller: Caller): Promise<void> {
  if ('keyId' in caller) {
    if (caller.teamId !== team_id) throw new ApiError('permission_denied')
    return requireLiveSession(graphql, caller)
  }
  const owner = { user_id: caller.userId, team_id }
  const { membership } = await graphql.IsOwner(owner, caller.headers)
  if (membership.length === 0) throw new ApiError('permission_denied')
}
