import type { RequestHandler, Response } from 'express'
import type { Config } from '../../lib/config.ts'
import type { HitCounts } from '../../lib/limits/hit-counts.ts'
import { limiter, type Rate } from '../../lib/limits/limits.ts'
import { hashToken } from '../../lib/secrets/secret.ts'

export type Limits = ReturnType<typeof makeLimits>

/** Limits that apply before a request is read, and those that need its parsed input. */
type Limit = { before: RequestHandler[]; after: RequestHandler[] }

/** Every rate limit of the developer API, and whom it applies to. */
export function makeLimits(config: Config, counts: HitCounts) {
  const address = (name: string, rate: Rate) => limiter({ counts, name, rate })
  const email = (name: string, rate: Rate) =>
    limiter({ counts, name, rate, subject: (_request, response) => hashedEmail(response) })
  const perAddress = (name: string, rate: Rate): Limit => ({
    before: [address(name, rate)],
    after: [],
  })
  const perAddressAndEmail = (name: string, rate: Rate, emailRate: Rate): Limit => ({
    before: [address(name, rate)],
    after: [email(`${name}-email`, emailRate)],
  })
  const perKey = (name: string, rate: Rate): Limit => ({
    before: [limiter({ counts, name, rate, subject: (_request, { locals }) => locals.keyId })],
    after: [],
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

/** From the parsed input; hashed, because a caller chooses its length and the table is no address book. */
function hashedEmail(response: Response): string {
  return hashToken(String(response.locals.input.email))
}
