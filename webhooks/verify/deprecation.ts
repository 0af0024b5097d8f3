import type { RequestHandler } from 'express'
import { ApiError } from '../../lib/errors.ts'

export type Deprecation = {
  /** When the route goes away; null for never. */
  sunset: Date | null
  /** Where callers find what replaces it. */
  successor: string
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The announced end of the first version. */
const ANNOUNCED = new Date('2024-06-30T23:59:59Z')

/**
 * Announces on every answer that the route is going away, and after its sunset answers only `gone`.
 *
 * A service that is configured to keep the route still announces the public date.
 *
 * @throws gone
 * @see RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version)
 */
export function announceDeprecation({ sunset, successor, now }: Deprecation): RequestHandler {
  const date = sunset ?? ANNOUNCED
  return (_request, response, next) => {
    response.setHeader('deprecation', `@${Math.floor(ANNOUNCED.getTime() / 1_000)}`)
    response.setHeader('sunset', date.toUTCString())
    response.setHeader('link', `<${successor}>; rel="successor-version"`)
    if (sunset && now() > sunset.getTime()) throw new ApiError('gone')
    next()
  }
}
