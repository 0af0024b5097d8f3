import type { Config } from '../../lib/runtime/config.ts'
import { createRequestValue } from '../../lib/runtime/http/request-value.ts'
import type { HitCounts, Rate } from '../../lib/runtime/limits/rate-counts.ts'
import { createRateLimiter } from '../../lib/runtime/limits/rate-limiter.ts'
import type { Limit } from '../../lib/runtime/web/route.ts'

export type LimitName = keyof ReturnType<typeof createLimits>

/** The id of the API key that a request was authenticated with. */
export const apiKeyId = createRequestValue<string>('the API key of the request')

/** Creates the rate limits of the developer API's routes, by address or by API key. Attempts at passwords have further limits. */
export function createLimits(config: Config, counts: HitCounts) {
  const address = (name: string, rate: Rate) => createRateLimiter({ counts, name, rate })
  const perAddress = (name: string, rate: Rate): Limit => ({
    before: [address(name, rate)],
    after: [],
  })
  const perAddressAfterParsing = (name: string, rate: Rate): Limit => ({
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
    // Counts only valid input, so that mistakes do not use up the few signups of an hour.
    signup: perAddressAfterParsing('signup', config.RATE_LIMIT_SIGNUP),
    // webhooks/accounts/login-attempts.ts also counts the attempts of an account.
    login: perAddress('login', config.RATE_LIMIT_LOGIN),
    // Does not count by e-mail address: a stranger could then use up the owner's limit. The database limits the number of
    // messages to a mailbox.
    resend: perAddress('resend', config.RATE_LIMIT_RESEND),
    forgotPassword: perAddress('forgot-password', config.RATE_LIMIT_FORGOT_PASSWORD),
    mailedLink: perAddress('verify-email', config.RATE_LIMIT_VERIFY_EMAIL),
    prices: perAddress('prices', config.RATE_LIMIT_PRICES),
    userOperation: perAddress('user-operation', config.RATE_LIMIT_USER_OPERATION),
    transaction: perKey('transaction', config.RATE_LIMIT_TRANSACTION),
  }
}
