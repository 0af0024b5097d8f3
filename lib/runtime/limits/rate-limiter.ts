import { isIPv6 } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import { rateLimit, type Store } from 'express-rate-limit'
import ipaddr from 'ipaddr.js'
import { ApiError } from '../errors.ts'
import type { HitCounts, Rate } from './rate-counts.ts'

type Options = {
  counts: HitCounts
  /** Is in the headers, and part of the counted key: two limits of one name share their counts. */
  name: string
  rate: Rate
  /** Who is limited; the caller's address by default. */
  subject?: (request: Request, response: Response) => string
}

/**
 * Refuses requests past a limit, and tells every caller how much of it is left.
 *
 * Headers are `RateLimit` and `RateLimit-Policy` (draft 8 of the IETF's httpapi group), and on a
 * refusal `Retry-After`.
 *
 * @throws rate_limited
 */
export function createRateLimiter({
  counts,
  name,
  rate: { limit, windowMs },
  subject = callerAddress,
}: Options): RequestHandler {
  return rateLimit({
    identifier: name,
    limit,
    windowMs,
    keyGenerator: subject,
    store: sharedStore(counts, name, windowMs),
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler() {
      throw new ApiError('rate_limited')
    },
    // These checks only warn on the console, such as of a request that two limits count, which some of ours do.
    validate: false,
  })
}

/** The library's way to our counts, which all instances share. Requests are only ever counted up. */
function sharedStore(counts: HitCounts, name: string, windowMs: number): Store {
  return {
    increment(subject) {
      const { total, endsInMs } = counts.hit(`${name}:${subject}`, windowMs)
      return { totalHits: total, resetTime: new Date(Date.now() + endsInMs) }
    },
    decrement() {},
    resetKey() {},
  }
}

/**
 * The caller's address, as the trusted proxies give it; for IPv6 the network, since one customer has countless
 * addresses.
 */
export function callerAddress({ ip = '' }: Request): string {
  return networkOf(ip)
}

/** An address; for IPv6 its network. */
export function networkOf(ip: string): string {
  // Without the zone, which the caller may choose freely.
  const [text = ''] = ip.split('%')
  if (!isIPv6(text)) return text
  const address = ipaddr.process(text)
  return address.kind() === 'ipv4'
    ? address.toString()
    : address.toByteArray().slice(0, NETWORK_BYTES).join('.')
}

/** A /56, the most that providers give to one customer. */
const NETWORK_BYTES = 7
