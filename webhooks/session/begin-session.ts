import { z } from 'zod'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import { LOGIN_ERRORS, type LoginInput, type LoginServices, logIn } from '../accounts/login.ts'
import { SIGNUP_ERRORS, type SignupServices, signUp } from '../accounts/signup.ts'
import type { SignupInput } from '../accounts/signup-input.ts'
import { setSessionCookie } from '../credentials/session-cookie.ts'
import { requireSameOrigin } from './require-same-origin.ts'

const Done = z.strictObject({ success: z.literal(true) })
const DONE = { success: true } as const

/**
 * Logs a user in to the portal, like `/api/v1/login`, but puts the token into a cookie that scripts cannot read.
 *
 * @throws unauthenticated for other websites, and the errors of `login`
 */
export const beginSession = jsonOperation(
  {
    tag: 'Portal',
    summary: 'Log in to the portal in this browser: a cookie gets the token',
    output: Done,
    errors: [...LOGIN_ERRORS, 'unauthenticated'],
    before: requireSameOrigin,
  },
  (services: LoginServices) =>
    async (input: z.infer<typeof LoginInput>, context: Context, request, response) => {
      const token = await logIn(input, services, context, [request, response])
      setSessionCookie(response, token, services.baseUrl)
      return DONE
    },
)

/**
 * Signs a user up for the portal, like `/api/v1/signup`, but puts the token into a cookie that scripts cannot read.
 *
 * @throws unauthenticated for other websites, and the errors of `signup`
 */
export const beginFirstSession = jsonOperation(
  {
    tag: 'Portal',
    summary: 'Sign up for the portal in this browser: a cookie gets the token',
    output: Done,
    status: 201,
    errors: [...SIGNUP_ERRORS, 'unauthenticated'],
    before: requireSameOrigin,
  },
  (services: SignupServices) =>
    async (input: z.infer<typeof SignupInput>, context: Context, request, response) => {
      const token = await signUp(input, services, context, [request, response])
      setSessionCookie(response, token, services.baseUrl)
      return DONE
    },
)
