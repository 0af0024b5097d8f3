import { ApiError } from '../../../lib/runtime/errors.ts'
import type { ActionServices, PortalUser } from '../action.ts'
import { noUserError } from '../action.ts'

/**
 * Checks the password of a logged-in user, so that a stolen token is not enough to take the account.
 *
 * @returns the stored hash; the statement that makes the change requires that this hash is still stored
 * @throws invalid_credentials, rate_limited, unavailable
 */
export async function provePassword(
  password: string,
  { graphql, passwords, loginAttempts }: ActionServices,
  { userId, headers }: PortalUser,
): Promise<string> {
  const { user_by_pk: user } = await graphql.UserPassword({ id: userId }, headers)
  if (!user) throw noUserError()
  // The limit is as strict as for an unknown device, because a thief of the token must not guess passwords.
  loginAttempts({ email: user.email, from: userId, isKnown: false })
  if (!(await passwords.verify(user.password_hash, password, userId))) throw wrongPasswordError()
  return user.password_hash
}

/** Returns the error for a wrong password, and for a password that was changed in the meantime. */
export function wrongPasswordError(): ApiError {
  return new ApiError('invalid_credentials', { detail: 'The password is wrong.' })
}
