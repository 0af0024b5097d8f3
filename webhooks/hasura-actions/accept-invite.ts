import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import { hasuraAction } from './action.ts'

/**
 * Makes the caller a member of the team that invited them; works once.
 *
 * @returns `{ team_id }`
 * @throws not_found, alike for a token that is used, expired or unknown, and for one that was sent to
 *   an address other than the caller's
 */
export const acceptInvite = hasuraAction(
  z.object({ token: z.string().max(200) }),
  ({ graphql }) =>
    async ({ token }, { userId, headers }) => {
      const { accept_invite } = await graphql.AcceptInvite(
        { token_hash: hashToken(token), user_id: userId },
        headers,
      )
      const [membership] = accept_invite
      if (!membership)
        throw new ApiError('not_found', { detail: 'There is no such invite for you.' })
      return { team_id: membership.team_id }
    },
)
