import type { Request, Response } from 'express'
import { z } from 'zod'
import { ApiError } from '../../lib/runtime/errors.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { LoginTokens } from '../credentials/login-token.ts'
import type { Sdk } from '../generated/sdk.ts'
import { requiredText } from '../route/input-text.ts'
import { deviceOf, deviceToRemember, setDeviceCookie } from './device.ts'
import { isEmail, normaliseEmail } from './email-address.ts'
import type { LoginAttempts } from './login-attempts.ts'
import type { Passwords } from './passwords.ts'

/** The body of `POST /api/v1/login` (spec 4.1). */
export const LoginInput = z.object({
  email: requiredText.transform(normaliseEmail),
  password: requiredText,
})

/** The errors of a login. */
export const LOGIN_ERRORS = ['required', 'invalid_credentials', 'unavailable'] as const

/** The result of login and signup: a JWT for `Authorization: Bearer`. */
export const LoginToken = z.strictObject({ token: z.jwt() })

export type LoginServices = {
  graphql: Sdk
  passwords: Passwords
  loginTokens: LoginTokens
  loginAttempts: LoginAttempts
  baseUrl: string
}

/**
 * Exchanges an e-mail address and its password for a token.
 *
 * @returns `{ token }`
 * @throws invalid_credentials, after the same work for an unknown address and a wrong password; rate_limited;
 *   unavailable if too many logins wait, or this login waits too long
 */
export const login = jsonOperation(
  {
    tag: 'Accounts',
    summary: 'Exchange an e-mail address and its password for a token',
    output: LoginToken,
    errors: LOGIN_ERRORS,
  },
  (services: LoginServices) =>
    async (input: z.infer<typeof LoginInput>, context: Context, request, response) => ({
      token: await logIn(input, services, context, [request, response]),
    }),
)

/** Checks the password and begins a login. Returns the login's token. */
export async function logIn(
  input: z.infer<typeof LoginInput>,
  services: LoginServices,
  context: Context,
  [request, response]: [Request, Response],
): Promise<string> {
  const user = await provePassword(input, services, context, request)
  return beginLogin(user, services, context, [request, response])
}

/** Returns the user with this address and password. */
async function provePassword(
  { email, password }: z.infer<typeof LoginInput>,
  { graphql, passwords, loginAttempts, baseUrl }: LoginServices,
  { requestId, address }: Context,
  request: Request,
) {
  passwords.requireRoom(address)
  const device = deviceOf(request, baseUrl)
  // A text that is not an address is not searched for: PostgreSQL rejects some of these, for example with a null byte.
  const searchEmail = isEmail(email) ? email : ''
  const { user } = await graphql.Login(
    { email: searchEmail, devices: [...device.hashes] },
    { 'x-request-id': requestId },
  )
  const [row] = user
  const knownHash = row?.known_devices[0]?.device_hash
  loginAttempts({ email, from: knownHash ?? device.address, isKnown: knownHash !== undefined })
  const matches = await passwords.verify(row?.password_hash ?? null, password, address)
  if (!row || !matches) throw new ApiError('invalid_credentials')
  return row
}

async function beginLogin(
  user: Awaited<ReturnType<typeof provePassword>>,
  { graphql, loginTokens, baseUrl }: LoginServices,
  { requestId }: Context,
  [request, response]: [Request, Response],
): Promise<string> {
  const knownHashes = user.known_devices.map(({ device_hash }) => device_hash)
  const device = deviceToRemember(request, baseUrl, knownHashes)
  const { begin_login: logins } = await graphql.BeginLogin(
    {
      user_id: user.id,
      password_hash: user.password_hash,
      address: device.address,
      user_agent: device.userAgent,
      devices: device.hashes,
    },
    { 'x-request-id': requestId },
  )
  const [login] = logins
  if (!login) throw new ApiError('invalid_credentials')
  setDeviceCookie(response, device, baseUrl)
  const isVerified = user.email_verified_at !== null
  return loginTokens.issue({ id: user.id, loginId: login.id, isVerified })
}
