import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { isEmail, normaliseEmail } from '../../accounts/email-address.ts'
import type { InviteTeamMembersMutation, Sdk } from '../../generated/sdk.ts'
import { actorOf, type Caller, idText, teamAction } from '../action.ts'
import { requireLiveSession } from '../require-live-session.ts'

const address = z.string().transform(normaliseEmail).refine(isEmail, 'Must be an e-mail address.')

/**
 * Invites people to a team by e-mail. The caller must be an owner or an API key of the team.
 *
 * @returns `{ emails, outcomes }`: the invited addresses, without the addresses of members, and the outcome for each address. A
 *   team may create a hundred invites a day, and so may a user over all teams. A repeated message counts, too. Further
 *   addresses are left out. Invites by an API key count for the owners of its team.
 * @throws permission_denied for an unknown team, and for a team that the caller may not invite to; team_blocked; quota_exceeded if the
 *   team has too many open invites
 */
export const inviteTeamMembers = teamAction(
  z.object({ team_id: idText, emails: z.array(address).min(1).max(20) }),
  ({ graphql }) =>
    async ({ team_id, emails }, caller) => {
      const { invite_team_members: invites } = await graphql.InviteTeamMembers(
        { ...actorOf(caller), team_id, emails },
        caller.headers,
      )
      if (invites.length === 0) await requireInviter(graphql, team_id, caller)
      const outcomes = await outcomesOf(graphql, { team_id, emails, invites }, caller)
      return { emails: invites.map(({ email }) => email), outcomes }
    },
)

type Invitation = {
  team_id: string
  emails: readonly string[]
  invites: InviteTeamMembersMutation['invite_team_members']
}

/** Returns the outcome for each address: whether a message was queued, and the reason if not. */
async function outcomesOf(graphql: Sdk, { team_id, emails, invites }: Invitation, caller: Caller) {
  const addresses = [...new Set(emails)]
  const missing = addresses.filter((address) => !invites.some(({ email }) => email === address))
  const { membership: members } =
    missing.length > 0
      ? await graphql.MembersWithAddresses({ team_id, emails: missing }, caller.headers)
      : { membership: [] }
  return addresses.map((email) => {
    const invite = invites.find((each) => each.email === email)
    if (invite)
      return { email, outcome: invite.mailed_at === invite.updated_at ? 'sent' : 'recently_sent' }
    const isMember = members.some(({ user }) => user.email === email)
    return { email, outcome: isMember ? 'member' : 'daily_limit' }
  })
}

/** Refuses a caller that may not invite. Called only if the statement invited no address, to find the reason. */
async function requireInviter(graphql: Sdk, team_id: string, caller: Caller): Promise<void> {
  if ('keyId' in caller) {
    if (caller.teamId !== team_id) throw new ApiError('permission_denied')
    return requireLiveSession(graphql, caller)
  }
  const owner = { user_id: caller.userId, team_id }
  const { membership } = await graphql.IsOwner(owner, caller.headers)
  if (membership.length === 0) throw new ApiError('permission_denied')
}
