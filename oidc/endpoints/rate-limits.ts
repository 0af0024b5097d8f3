import type { Request, RequestHandler } from 'express'
import type { SignInConfig } from '../../lib/runtime/config.ts'
import { requestValue } from '../../lib/runtime/http/request-value.ts'
import type { HitCounts } from '../../lib/runtime/limits/rate-counts.ts'
import { callerAddress, createRateLimiter } from '../../lib/runtime/limits/rate-limiter.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'
import type { Limit } from '../../lib/runtime/web/route.ts'
import { hasSignInCookie } from './login/sign-in.ts'

/** The name of a rate limit. */
export type LimitName = keyof ReturnType<typeof createLimits>

/**
 * The id of the client that requests a token, as the request states it: the secret may not be checked yet.
 */
export const tokenClient = requestValue<string>('the client that asks for a token')

/** All rate limits of the sign-in server, and whom each applies to (the address unless said otherwise). */
export function createLimits(config: SignInConfig, counts: HitCounts) {
  const signIn = createRateLimiter({ counts, name: 'sign-in', rate: config.RATE_LIMIT_SIGN_IN })
  return {
    register: before(
      createRateLimiter({ counts, name: 'register', rate: config.RATE_LIMIT_REGISTER }),
    ),
    signIn: before(signIn),
    /** Counts a request without a cookie only: any program can send it, and its sign-in is looked up. */
    withoutCookie: before(skipIf(hasSignInCookie, signIn)),
    token: onceIdentified(
      createRateLimiter({
        counts,
        name: 'token',
        rate: config.RATE_LIMIT_TOKEN,
        // The client and its address: ids are public, so anyone else could use up a client's share.
        subject: (request, response) =>
          hashToken(`${tokenClient.get(response)} ${callerAddress(request)}`),
      }),
    ),
  }
}

/** Counts a request before it is read. */
function before(limit: RequestHandler): Limit {
  return { before: [limit], after: [] }
}

/** Counts a request whose caller is known. */
function onceIdentified(limit: RequestHandler): Limit {
  return { before: [], after: [limit] }
}

function skipIf(isExempt: (request: Request) => boolean, limit: RequestHandler): RequestHandler {
  return (request, response, next) => (isExempt(request) ? next() : limit(request, response, next))
}
