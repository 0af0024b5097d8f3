import type { RequestHandler, Response } from 'express'
import type { Config } from '../lib/config.ts'
import type { HitCounts } from '../lib/hit-counts.ts'
import { limiter, type Rate } from '../lib/limits.ts'
import { hashToken } from '../lib/secret.ts'

export type Limits = ReturnType<typeof makeLimits>

/** Every limit of the developer API, with who is limited. */
export function makeLimits(config: Config, counts: HitCounts) {
  const perAddress = (name: string, rate: Rate): RequestHandler => limiter({ counts, name, rate })
  const perEmail = (name: string, rate: Rate): RequestHandler =>
    limiter({ counts, name, rate, subject: (_request, response) => hashedEmail(response) })
  return {
    verify: perAddress('verify', config.RATE_LIMIT_VERIFY),
    precheck: perAddress('precheck', config.RATE_LIMIT_PRECHECK),
    precheckAction: perAddress('precheck-action', config.RATE_LIMIT_PRECHECK_ACTION),
    signup: perAddress('signup', config.RATE_LIMIT_SIGNUP),
    login: perAddress('login', config.RATE_LIMIT_LOGIN),
    loginEmail: perEmail('login-email', config.RATE_LIMIT_LOGIN_EMAIL),
    resend: perAddress('resend', config.RATE_LIMIT_RESEND),
    resendEmail: perEmail('resend-email', config.RATE_LIMIT_RESEND_EMAIL),
    verifyEmail: perAddress('verify-email', config.RATE_LIMIT_VERIFY_EMAIL),
  }
}

/** Of the parsed input; hashed, because a caller chooses how long it is and the table is no address book. */
function hashedEmail(response: Response): string {
  return hashToken(String(response.locals.input.email))
}
