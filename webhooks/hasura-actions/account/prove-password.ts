import { ApiError } from '../../../lib/runtime/errors.ts'
import type { ActionServices, PortalUser } from '../action.ts'
import { noUserError } from '../action.ts'

/**
 * Asks a caller for their password once more, so that a stolen token cannot take the account.
 *
 * @returns the hash that the password was compared with: the change that follows is made only while it is still stored
 * @throws invalid_credentials, rate_limited, unavailable
 */
export async function provePassword(
  password: string,
  { graphql, passwords, loginAttempts }: ActionServices,
  { userId, headers }: PortalUser,
): Promise<string> {
  const { user_by_pk: user } = await graphql.OwnPassword({ id: userId }, headers)
  if (!user) throw noUserError()
  // As strict as for a device that is not known: whoever stole a token must not guess either.
  loginAttempts({ email: user.email, from: userId, isKnown: false })
  if (!(await passwords.verify(user.password_hash, password, userId))) throw wrongPassword()
  return user.password_hash
}

/** The error for a password that is not, or is no longer, the caller's. */
export function wrongPassword(): ApiError {
  return new ApiError('invalid_credentials', { detail: 'The password is wrong.' })
}
