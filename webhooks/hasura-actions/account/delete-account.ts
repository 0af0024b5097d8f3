import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { hasuraAction } from '../action.ts'
import { provePassword, wrongPasswordError } from './prove-password.ts'

/**
 * Deletes the caller's account, and the teams that have no other member.
 *
 * @returns `{ success: true }`
 * @throws invalid_credentials for a wrong password; last_owner if a team with other members would have no owner;
 *   rate_limited, unavailable
 */
export const deleteAccount = hasuraAction(
  z.object({ password: z.string().max(1_000) }),
  (services) =>
    async ({ password }, caller) => {
      const known_hash = await provePassword(password, services, caller)
      const { graphql } = services
      const { userId, headers } = caller
      const { delete_account: users } = await graphql.DeleteAccount(
        { user_id: userId, known_hash },
        headers,
      )
      if (users.length > 0) return { success: true }
      const { user_by_pk: user } = await graphql.UserPassword({ id: userId }, headers)
      throw user?.password_hash === known_hash ? new ApiError('last_owner') : wrongPasswordError()
    },
)
