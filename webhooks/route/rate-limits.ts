import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Config } from '../../lib/config.ts'
import { type RequestValue, requestValue } from '../../lib/http/request-value.ts'
import type { HitCounts } from '../../lib/limits/hit-counts.ts'
import { type Rate, rateLimiter } from '../../lib/limits/rate-limiter.ts'
import { hashToken } from '../../lib/secrets/secret.ts'

export type Limits = ReturnType<typeof makeLimits>

/** Limits that apply before a request is read, and those that need its parsed input. */
type Limit = {
  before: RequestHandler[]
  after(input: ParsedInput): RequestHandler[]
}

/** The input of a route, once it is parsed. */
type ParsedInput = Pick<RequestValue<unknown>, 'get'>

/** The id of the API key that a request was authenticated with. */
export const apiKeyId = requestValue<string>('the API key of the request')

/** Every rate limit of the developer API, and whom it applies to. */
export function makeLimits(config: Config, counts: HitCounts) {
  const address = (name: string, rate: Rate) => rateLimiter({ counts, name, rate })
  const email = (name: string, rate: Rate, input: ParsedInput) =>
    rateLimiter({
      counts,
      name,
      rate,
      subject: (_request, response) => hashedEmail(input.get(response)),
    })
  const perAddress = (name: string, rate: Rate): Limit => ({
    before: [address(name, rate)],
    after: () => [],
  })
  const perAddressAndEmail = (name: string, rate: Rate, emailRate: Rate): Limit => ({
    before: [address(name, rate)],
    after: (input) => [email(`${name}-email`, emailRate, input)],
  })
  const perKey = (name: string, rate: Rate): Limit => ({
    before: [
      rateLimiter({ counts, name, rate, subject: (_request, response) => apiKeyId.get(response) }),
    ],
    after: () => [],
  })
  return {
    verify: perAddress('verify', config.RATE_LIMIT_VERIFY),
    precheck: perAddress('precheck', config.RATE_LIMIT_PRECHECK),
    precheckAction: perAddress('precheck-action', config.RATE_LIMIT_PRECHECK_ACTION),
    signup: perAddress('signup', config.RATE_LIMIT_SIGNUP),
    login: perAddressAndEmail('login', config.RATE_LIMIT_LOGIN, config.RATE_LIMIT_LOGIN_EMAIL),
    resend: perAddressAndEmail('resend', config.RATE_LIMIT_RESEND, config.RATE_LIMIT_RESEND_EMAIL),
    verifyEmail: perAddress('verify-email', config.RATE_LIMIT_VERIFY_EMAIL),
    prices: perAddress('prices', config.RATE_LIMIT_PRICES),
    transaction: perKey('transaction', config.RATE_LIMIT_TRANSACTION),
  }
}

/** Hashed, because a caller chooses its length and the table of counts is no address book. */
function hashedEmail(input: unknown): string {
  return hashToken(WithEmail.parse(input).email)
}

const WithEmail = z.object({ email: z.string() })
