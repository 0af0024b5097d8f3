import type { Config } from '../../lib/runtime/config.ts'
import { createRateCounter, type HitCounts } from '../../lib/runtime/limits/rate-counts.ts'
import { hashToken } from '../../lib/runtime/secrets/secret.ts'

/**
 * Counts a try to prove the password of an account.
 *
 * A device from which the owner has logged in lately has tries of its own, so that nobody else's wrong passwords keep
 * the owner out. All other devices together have a number of tries a day that is too small for guessing a password
 * with many machines; a single one of them gets a small part of it.
 *
 * @throws rate_limited
 */
export type LoginAttempts = (attempt: {
  email: string
  /** What the device, or the session, is known by. */
  from: string
  /** Whether the owner of the account has logged in from there lately. */
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
