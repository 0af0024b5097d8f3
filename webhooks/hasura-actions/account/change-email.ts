import { z } from 'zod'
import { ApiError } from '../../../lib/runtime/errors.ts'
import { emailAddress } from '../../accounts/email-address.ts'
import { hasuraAction } from '../action.ts'
import { provePassword } from './prove-password.ts'

/**
 * Begins a change of the caller's address: a link goes to each of the two mailboxes, and both have to be followed.
 *
 * The answer does not tell whether the new address is registered already.
 *
 * @returns `{ success: true }`
 * @throws invalid_credentials for a wrong password; validation_error; rate_limited, also after three changes within
 *   an hour; unavailable
 */
export const changeEmail = hasuraAction(
  z.object({ password: z.string().max(1_000), email: emailAddress }),
  (services) =>
    async ({ password, email }, caller) => {
      const known_hash = await provePassword(password, services, caller)
      const { begin_email_change: begun } = await services.graphql.BeginEmailChange(
        { user_id: caller.userId, known_hash, email },
        caller.headers,
      )
      if (begun.length === 0) throw new ApiError('rate_limited')
      return { success: true }
    },
)
