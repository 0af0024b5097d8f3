import type { Request, Response } from 'express'
import type { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { LoginTokens } from '../credentials/login-token.ts'
import type { Sdk } from '../generated/sdk.ts'
import { deviceToRemember, setDeviceCookie } from './device.ts'
import { LoginToken } from './login.ts'
import type { Passwords } from './passwords.ts'
import type { SignupInput } from './signup-input.ts'

export type SignupServices = {
  graphql: Sdk
  passwords: Passwords
  loginTokens: LoginTokens
  baseUrl: string
}

/** The errors of a signup. */
export const SIGNUP_ERRORS = [
  'required',
  'min_length',
  'invalid',
  'already_registered',
  'unavailable',
] as const

/**
 * Creates a user and a team that the user owns, and queues the mail that verifies the address, in one transaction.
 *
 * @returns `{ token }`
 * @throws already_registered, unavailable
 */
export const signup = jsonOperation(
  {
    tag: 'Accounts',
    summary: 'Create a user and a team, and mail the link that verifies the address',
    output: LoginToken,
    status: 201,
    errors: SIGNUP_ERRORS,
  },
  (services: SignupServices) =>
    async (input: z.infer<typeof SignupInput>, context: Context, request, response) => ({
      token: await signUp(input, services, context, [request, response]),
    }),
)

/** Creates the account and begins its first login. Returns the login's token. */
export async function signUp(
  { email, password, name, team_name }: z.infer<typeof SignupInput>,
  { graphql, passwords, loginTokens, baseUrl }: SignupServices,
  { requestId, address }: Context,
  [request, response]: [Request, Response],
): Promise<string> {
  const password_hash = await passwords.hash(password, address)
  const device = deviceToRemember(request, baseUrl)
  const { userAgent: user_agent, hashes: devices } = device
  const { signup: logins } = await graphql.Signup(
    { email, password_hash, name, team_name, address, user_agent, devices },
    { 'x-request-id': requestId },
  )
  const [login] = logins
  if (!login) throw new ApiError('already_registered', { attribute: 'email' })
  setDeviceCookie(response, device, baseUrl)
  const { id: loginId, user_id: id } = login
  return loginTokens.issue({ id, loginId, isVerified: false })
}
