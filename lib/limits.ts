import type { Request, RequestHandler, Response } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { ApiError } from './errors.ts'
import type { HitCounts } from './hit-counts.ts'

/** So many requests in a window of time, as `count/seconds` in the configuration. */
export type Rate = { limit: number; windowMs: number }

type Options = {
  counts: HitCounts
  /** Told in the headers, and part of what is counted: two limits of one name are one limit. */
  name: string
  rate: Rate
  /** Who is limited; the caller's address unless said. */
  subject?: (request: Request, response: Response) => string
}

/**
 * Refuses requests past a limit, and tells every caller where they stand.
 *
 * Headers are `RateLimit` and `RateLimit-Policy` (draft 8 of the IETF's httpapi group), and on a
 * refusal `Retry-After`.
 *
 * @throws rate_limited
 */
export function limiter({ counts, name, rate, subject = addressOf }: Options): RequestHandler {
  return rateLimit({
    ...rate,
    identifier: name,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (request, response) => `${name}:${subject(request, response)}`,
    store: {
      localKeys: false,
      prefix: name,
      increment(key) {
        const { total, endsInMs } = counts.hit(key, rate.windowMs)
        // The headers are reckoned from the system's clock.
        return { totalHits: total, resetTime: new Date(Date.now() + endsInMs) }
      },
      decrement() {},
      resetKey() {},
    },
    handler() {
      throw new ApiError('rate_limited')
    },
    // Its checks of the proxy setting write to the console whenever a caller sends a header.
    validate: false,
  })
}

/** As the trusted proxies tell it; of IPv6 the network, since one customer has as many as they like. */
function addressOf({ ip = '' }: Request): string {
  return ipKeyGenerator(ip)
}
