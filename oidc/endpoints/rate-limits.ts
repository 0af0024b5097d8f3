import type { Request, RequestHandler } from 'express'
import type { SignInConfig } from '../../lib/runtime/config.ts'
import { createRequestValue } from '../../lib/runtime/http/request-value.ts'
import type { HitCounts } from '../../lib/runtime/limits/rate-counts.ts'
import { callerAddress, createRateLimiter } from '../../lib/runtime/limits/rate-limiter.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import type { Limit } from '../../lib/runtime/web/route.ts'
import { hasSignInCookie } from './login/sign-in.ts'

/** The name of a rate limit. */
export type LimitName = keyof ReturnType<typeof createLimits>

/** The client id that a token request states. oidc-provider checks the secret only after the rate limit. */
export const tokenClient = createRequestValue<string>('the client that requests a token')

/** Creates all rate limits of the sign-in server. A limit applies to the caller's address unless it has a `subject`. */
export function createLimits(config: SignInConfig, counts: HitCounts) {
  const signIn = createRateLimiter({ counts, name: 'sign-in', rate: config.RATE_LIMIT_SIGN_IN })
  return {
    register: before(
      createRateLimiter({ counts, name: 'register', rate: config.RATE_LIMIT_REGISTER }),
    ),
    signIn: before(signIn),
    /** Counts only requests without a cookie: any program can send them, and each reads a sign-in from the database. */
    withoutCookie: before(skipIf(hasSignInCookie, signIn)),
    token: limitAfterIdentification(
      createRateLimiter({
        counts,
        name: 'token',
        rate: config.RATE_LIMIT_TOKEN,
        // The client and its address: client ids are public, so another program could use up a limit that depends only
        // on the id.
        subject: (request, response) =>
          hashToken(`${tokenClient.get(response)} ${callerAddress(request)}`),
      }),
    ),
  }
}

/** Counts a request before its body is read. */
function before(limit: RequestHandler): Limit {
  return { before: [limit], after: [] }
}

/** Counts a request after its caller has been identified. */
function limitAfterIdentification(limit: RequestHandler): Limit {
  return { before: [], after: [limit] }
}

function skipIf(isExempt: (request: Request) => boolean, limit: RequestHandler): RequestHandler {
  return (request, response, next) => (isExempt(request) ? next() : limit(request, response, next))
}
