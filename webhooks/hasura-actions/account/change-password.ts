import { z } from 'zod'
import { newPassword } from '../../accounts/new-password.ts'
import { hasuraAction } from '../action.ts'
import { provePassword, wrongPasswordError } from './prove-password.ts'

/**
 * Changes the caller's password, and ends their other logins.
 *
 * @returns `{ success: true }`
 * @throws invalid_credentials for a wrong current password; validation_error, rate_limited, unavailable
 */
export const changePassword = hasuraAction(
  z.object({ current_password: z.string().max(1_000), new_password: newPassword }),
  (services) =>
    async ({ current_password, new_password }, caller) => {
      const known_hash = await provePassword(current_password, services, caller)
      const { graphql, passwords } = services
      const { userId, loginId, headers } = caller
      const chosen_hash = await passwords.hash(new_password, userId)
      const { change_password: users } = await graphql.ChangePassword(
        { user_id: userId, known_hash, chosen_hash, login_id: loginId },
        headers,
      )
      if (users.length === 0) throw wrongPasswordError()
      return { success: true }
    },
)
