import { isIPv6 } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import ipaddr from 'ipaddr.js'
import { ApiError } from '../errors.ts'
import type { HitCounts } from './hit-counts.ts'

/** At most `limit` requests in a time window; `count/seconds` in the configuration. */
export type Rate = { limit: number; windowMs: number }

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
export function limiter({ counts, name, rate, subject = addressOf }: Options): RequestHandler {
  const policy = `"${name}"; q=${rate.limit}; w=${rate.windowMs / 1_000}`
  return (request, response, next) => {
    const key = `${name}:${subject(request, response)}`
    const { total, endsInMs } = counts.hit(key, rate.windowMs)
    const seconds = Math.ceil(endsInMs / 1_000)
    const left = Math.max(rate.limit - total, 0)
    response.appendHeader('ratelimit-policy', policy)
    response.appendHeader('ratelimit', `"${name}"; r=${left}; t=${seconds}`)
    if (total > rate.limit) {
      response.setHeader('retry-after', seconds)
      throw new ApiError('rate_limited')
    }
    next()
  }
}

/**
 * The caller's address, as the trusted proxies give it; for IPv6 the network, since one customer has countless
 * addresses.
 */
export function addressOf({ ip = '' }: Request): string {
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
