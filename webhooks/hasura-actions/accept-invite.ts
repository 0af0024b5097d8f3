import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import { hasuraAction } from './action.ts'

/**
 * Makes the caller a member of the team that the invite is for. A token works once.
 *
 * @returns `{ team_id }`
 * @throws not_found for a used, expired or unknown token, and for a token that was sent to another address
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
        throw new ApiError('not_found', { detail: 'No such invite for your address.' })
      return { team_id: membership.team_id }
    },
)
