import type { RequestHandler } from 'express'
import { ApiError } from '../../lib/errors.ts'

export type Deprecation = {
  /** From when on the route is gone; null for never. */
  sunset: Date | null
  /** Where callers find what replaces it. */
  successor: string
  /** Milliseconds since the epoch. */
  now: () => number
}

/** When the first version was announced to end. */
const ANNOUNCED = new Date('2024-06-30T23:59:59Z')

/**
 * Says on every answer that the route is going away, and from its sunset on nothing else.
 *
 * A service that never ends it still says when it was announced to end.
 *
 * @throws gone
 * @see RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version)
 */
export function deprecated({ sunset, successor, now }: Deprecation): RequestHandler {
  const date = sunset ?? ANNOUNCED
  return (_request, response, next) => {
    response.setHeader('deprecation', `@${Math.floor(ANNOUNCED.getTime() / 1_000)}`)
    response.setHeader('sunset', date.toUTCString())
    response.setHeader('link', `<${successor}>; rel="successor-version"`)
    if (sunset && now() > sunset.getTime()) throw new ApiError('gone')
    next()
  }
}
