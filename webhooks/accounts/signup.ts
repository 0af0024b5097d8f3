import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import type { LoginTokens } from '../credentials/login-token.ts'
import type { Sdk } from '../generated/sdk.ts'
import { displayName, requiredText } from '../route/input-text.ts'
import { type Context, jsonOperation } from '../route/operation.ts'
import { isEmail, normaliseEmail } from './email-address.ts'
import { LoginToken } from './login.ts'
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
      password: z
        .string()
        .refine((text) => characterCount(text) >= 8, {
          error: 'Must have at least 8 characters.',
          params: { code: 'min_length' },
        })
        .refine((text) => characterCount(text) <= 200, 'Must have at most 200 characters.'),
      email: z
        .string()
        .transform(normaliseEmail)
        .refine(isEmail, {
          error: 'Must be an e-mail address.',
          params: { code: 'invalid' },
        }),
      name: displayName,
      team_name: displayName,
    }),
  )

/** In characters, however a keyboard composes them: é is one or two code points. */
function characterCount(text: string): number {
  return [...text.normalize('NFC')].length
}

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
    ) => {
      const password_hash = await passwords.hash(password, address)
      const { signup: made } = await graphql.Signup(
        { email, password_hash, name, team_name },
        { 'x-request-id': requestId },
      )
      const [user] = made
      if (!user) throw new ApiError('already_registered', { attribute: 'email' })
      return { token: await loginTokens.issue({ id: user.id, isVerified: false }) }
    },
)
