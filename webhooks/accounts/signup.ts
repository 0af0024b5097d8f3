import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import type { LoginTokens } from '../credentials/login-token.ts'
import type { Sdk } from '../generated/sdk.ts'
import { displayName, requiredText } from '../route/input-text.ts'
import { type Context, jsonOperation } from '../route/operation.ts'
import { rememberDevice } from './device.ts'
import { emailAddress } from './email-address.ts'
import { LoginToken } from './login.ts'
import { newPassword } from './new-password.ts'
import type { Passwords } from './passwords.ts'

/** Body of `POST /api/v1/signup` (spec 4.1): first all fields must be present, then each must be valid. */
export const SignupInput = z
  .object({
    email: requiredText,
    password: requiredText,
    name: requiredText,
    team_name: requiredText,
  })
  .pipe(
    z.object({
      password: newPassword,
      email: emailAddress,
      name: displayName,
      team_name: displayName,
    }),
  )

export type SignupServices = { graphql: Sdk; passwords: Passwords; loginTokens: LoginTokens }

/**
 * Makes a user and a team that they own, and queues the mail that verifies the address: all or nothing.
 *
 * @returns `{ token }`
 * @throws already_registered, unavailable
 */
export const signup = jsonOperation(
  {
    tag: 'Accounts',
    summary: 'Make a user and a team, and mail the link that verifies the address',
    output: LoginToken,
    status: 201,
    errors: ['required', 'min_length', 'invalid', 'already_registered', 'unavailable'],
  },
  ({ graphql, passwords, loginTokens }: SignupServices) =>
    async (
      { email, password, name, team_name }: z.infer<typeof SignupInput>,
      { requestId, address }: Context,
      request,
      response,
    ) => {
      const password_hash = await passwords.hash(password, address)
      const { userAgent: user_agent, hashes: devices } = rememberDevice(request, response)
      const { signup: begun } = await graphql.Signup(
        { email, password_hash, name, team_name, address, user_agent, devices },
        { 'x-request-id': requestId },
      )
      const [login] = begun
      if (!login) throw new ApiError('already_registered', { attribute: 'email' })
      const { id: loginId, user_id: id } = login
      return { token: await loginTokens.issue({ id, loginId, isVerified: false }) }
    },
)
