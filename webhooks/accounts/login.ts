import { z } from 'zod'
import { ApiError } from '../../lib/errors.ts'
import type { LoginTokens } from '../credentials/login-token.ts'
import type { Sdk } from '../generated/sdk.ts'
import { requiredText } from '../route/input-text.ts'
import { type Context, jsonOperation } from '../route/operation.ts'
import { isEmail, normaliseEmail } from './email-address.ts'
import type { Passwords } from './passwords.ts'

/** Body of `POST /api/v1/login` (spec 4.1). */
export const LoginInput = z.object({
  email: requiredText.transform(normaliseEmail),
  password: requiredText,
})

/** What login and signup answer: a JWT, to be sent as `Authorization: Bearer`. */
export const LoginToken = z.strictObject({ token: z.jwt() })

export type LoginServices = { graphql: Sdk; passwords: Passwords; loginTokens: LoginTokens }

/**
 * Exchanges an address and its password for a token.
 *
 * @returns `{ token }`
 * @throws invalid_credentials, alike and after the same work for an unknown address and a wrong
 *   password; unavailable when too many log in at once
 */
export const login = jsonOperation(
  {
    tag: 'Accounts',
    summary: 'Exchange an e-mail address and its password for a token',
    output: LoginToken,
    errors: ['required', 'invalid_credentials', 'unavailable'],
  },
  ({ graphql, passwords, loginTokens }: LoginServices) =>
    async ({ email, password }: z.infer<typeof LoginInput>, { requestId, address }: Context) => {
      passwords.requireRoom()
      // A text that is not an address may not even be one that PostgreSQL accepts.
      const asked = isEmail(email) ? email : ''
      const { user } = await graphql.Login({ email: asked }, { 'x-request-id': requestId })
      const [row] = user
      const matches = await passwords.verify(row?.password_hash ?? null, password, address)
      if (!row || !matches) throw new ApiError('invalid_credentials')
      const isVerified = row.email_verified_at !== null
      return { token: await loginTokens.issue({ id: row.id, isVerified }) }
    },
)
