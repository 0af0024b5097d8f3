import type { Config } from '../../lib/runtime/config.ts'
import { createRateCounter, type HitCounts } from '../../lib/runtime/limits/rate-counts.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'

/**
 * Counts an attempt to prove the password of an account.
 *
 * Each device with a recent login of the owner has a separate limit. So an attacker's wrong passwords do not lock the
 * owner out. All unknown devices together share a daily limit, which is too small to guess a password with many machines.
 * Each unknown device may use only a small part of this limit.
 *
 * @throws rate_limited
 */
export type LoginAttempts = (attempt: {
  email: string
  /** The stored hash of a known device, the address of an unknown device, or the id of a logged-in user. */
  from: string
  /** True if the owner of the account has recently logged in from this device. */
  isKnown: boolean
}) => void

type Limits = Pick<
  Config,
  'RATE_LIMIT_LOGIN_EMAIL' | 'RATE_LIMIT_LOGIN_UNKNOWN_DEVICE' | 'RATE_LIMIT_LOGIN_UNKNOWN_DEVICES'
>

export function createLoginAttempts(limits: Limits, counts: HitCounts): LoginAttempts {
  const count = createRateCounter(counts)
  return ({ email, from, isKnown }) => {
    const account = hashToken(email)
    const accountFromHere = hashToken(`${account} ${from}`)
    count('login-email', limits.RATE_LIMIT_LOGIN_EMAIL, accountFromHere)
    if (isKnown) return
    count('login-unknown-device', limits.RATE_LIMIT_LOGIN_UNKNOWN_DEVICE, accountFromHere)
    count('login-unknown-devices', limits.RATE_LIMIT_LOGIN_UNKNOWN_DEVICES, account)
  }
}
