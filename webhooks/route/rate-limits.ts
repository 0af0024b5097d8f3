import type { Config } from '../../lib/runtime/config.ts'
import { requestValue } from '../../lib/runtime/http/request-value.ts'
import type { HitCounts, Rate } from '../../lib/runtime/limits/rate-counts.ts'
import { createRateLimiter } from '../../lib/runtime/limits/rate-limiter.ts'
import type { Limit } from '../../lib/runtime/web/route.ts'

/** The name of a rate limit. */
export type LimitName = keyof ReturnType<typeof createLimits>

/** The id of the API key that a request was authenticated with. */
export const apiKeyId = requestValue<string>('the API key of the request')

/** Every rate limit of the developer API, and whom it applies to. */
export function createLimits(config: Config, counts: HitCounts) {
  const address = (name: string, rate: Rate) => createRateLimiter({ counts, name, rate })
  const perAddress = (name: string, rate: Rate): Limit => ({
    before: [address(name, rate)],
    after: [],
  })
  const perAddressOnceParsed = (name: string, rate: Rate): Limit => ({
    before: [],
    after: [address(name, rate)],
  })
  const perKey = (name: string, rate: Rate): Limit => ({
    before: [
      createRateLimiter({
        counts,
        name,
        rate,
        subject: (_request, response) => apiKeyId.get(response),
      }),
    ],
    after: [],
  })
  return {
    verify: perAddress('verify', config.RATE_LIMIT_VERIFY),
    precheck: perAddress('precheck', config.RATE_LIMIT_PRECHECK),
    precheckAction: perAddress('precheck-action', config.RATE_LIMIT_PRECHECK_ACTION),
    // Counted only if the input is valid, so that mistakes do not use up the few signups of an hour.
    signup: perAddressOnceParsed('signup', config.RATE_LIMIT_SIGNUP),
    // Tries of an account are counted once its owner's devices are known: webhooks/accounts/login-attempts.ts.
    login: perAddress('login', config.RATE_LIMIT_LOGIN),
    // Not by e-mail address: others could use up the owner's share. The database limits how many messages a
    // mailbox gets.
    resend: perAddress('resend', config.RATE_LIMIT_RESEND),
    forgotPassword: perAddress('forgot-password', config.RATE_LIMIT_FORGOT_PASSWORD),
    mailedLink: perAddress('verify-email', config.RATE_LIMIT_VERIFY_EMAIL),
    prices: perAddress('prices', config.RATE_LIMIT_PRICES),
    transaction: perKey('transaction', config.RATE_LIMIT_TRANSACTION),
  }
}
