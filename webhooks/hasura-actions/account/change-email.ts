import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { emailAddress } from '../../accounts/email-address.ts'
import { hasuraAction } from '../action.ts'
import { provePassword, wrongPasswordError } from './prove-password.ts'

/**
 * Begins a change of the caller's address. The old and the new mailbox get a link; the user must open both.
 *
 * The response does not reveal whether the new address is registered.
 *
 * @returns `{ success: true }`
 * @throws invalid_credentials for a wrong password, and if the password changed during the call; validation_error;
 *   unavailable; rate_limited, also after three changes in an hour
 */
export const changeEmail = hasuraAction(
  z.object({ password: z.string().max(1_000), email: emailAddress }),
  (services) =>
    async ({ password, email }, caller) => {
      const known_hash = await provePassword(password, services, caller)
      const { begin_email_change: changes } = await services.graphql.BeginEmailChange(
        { user_id: caller.userId, known_hash, email },
        caller.headers,
      )
      if (changes.length > 0) return { success: true }
      const { user_by_pk: user } = await services.graphql.UserPassword(
        { id: caller.userId },
        caller.headers,
      )
      throw user?.password_hash === known_hash ? new ApiError('rate_limited') : wrongPasswordError()
    },
)
