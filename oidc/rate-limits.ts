import type { SignInConfig } from '../lib/config.ts'
import type { HitCounts } from '../lib/hit-counts.ts'
import { limiter } from '../lib/limits.ts'
import { hashToken } from '../lib/secret.ts'

export type Limits = ReturnType<typeof makeLimits>

/** Every limit of the sign-in server, with who is limited. */
export function makeLimits(config: SignInConfig, counts: HitCounts) {
  return {
    register: limiter({ counts, name: 'register', rate: config.RATE_LIMIT_REGISTER }),
    signIn: limiter({ counts, name: 'sign-in', rate: config.RATE_LIMIT_SIGN_IN }),
    token: limiter({
      counts,
      name: 'token',
      rate: config.RATE_LIMIT_TOKEN,
      // And its address: client ids are public, and nobody may use up another's share.
      subject: ({ ip = '' }, { locals }) => hashToken(`${locals.clientId} ${ip}`),
    }),
  }
}
