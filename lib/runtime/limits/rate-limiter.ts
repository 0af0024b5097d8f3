import { isIPv6 } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import { rateLimit, type Store } from 'express-rate-limit'
import ipaddr from 'ipaddr.js'
import { ApiError } from '../errors.ts'
import type { HitCounts, Rate } from './rate-counts.ts'

type Options = {
  counts: HitCounts
  /**
   * The name in the response headers and in the key of each count. Two limits with the same name share their counts.
   */
  name: string
  rate: Rate
  /** Returns the limited caller; by default the caller's address. */
  subject?: (request: Request, response: Response) => string
}

/**
 * Rejects requests above a limit. Every response has `RateLimit` and `RateLimit-Policy` (draft 8 of the IETF's httpapi
 * group), and a 429 has `Retry-After`.
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
    // express-rate-limit's checks only print warnings, for example if two limits count the same request. Here this is
    // intended.
    validate: false,
  })
}

/** Connects express-rate-limit to the counts that all instances share. These counts never decrease. */
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
 * Returns the caller's address, as the trusted proxies report it. For IPv6, returns the network, because a customer has
 * countless addresses.
 */
export function callerAddress({ ip = '' }: Request): string {
  return networkOf(ip)
}

/** Returns an IPv4 address unchanged, and the network of an IPv6 address. */
export function networkOf(ip: string): string {
  // The caller can choose the zone freely.
  const [text = ''] = ip.split('%')
  if (!isIPv6(text)) return text
  const address = ipaddr.process(text)
  return address.kind() === 'ipv4'
    ? address.toString()
    : address.toByteArray().slice(0, NETWORK_BYTES).join('.')
}

/** A /56, the network that many providers give to a customer. */
const NETWORK_BYTES = 7
