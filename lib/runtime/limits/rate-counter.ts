import { ApiError } from '../errors.ts'
import type { HitCounts } from './hit-counts.ts'
import type { Rate } from './rate-limiter.ts'

/**
 * Counts something that somebody does, where it is not a request by itself.
 *
 * @param name is part of the counted key
 * @param subject who is limited
 * @throws rate_limited
 */
export type CountRate = (name: string, rate: Rate, subject: string) => void

export function rateCounter(counts: HitCounts): CountRate {
  return (name, rate, subject) => {
    const { total, endsInMs } = counts.hit(`${name}:${subject}`, rate.windowMs)
    if (total > rate.limit)
      throw new ApiError('rate_limited', { retryAfterSeconds: Math.ceil(endsInMs / 1_000) })
  }
}
