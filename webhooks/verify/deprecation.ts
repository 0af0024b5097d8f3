import type { RequestHandler, Response } from 'express'
import { ApiError } from '../../lib/runtime/errors.ts'

export type Deprecation = {
  /** When the route ends; null for never. */
  sunset: Date | null
  /** The address of the developer API. Its documentation describes the successor. */
  baseUrl: string
  /** Milliseconds since the epoch. */
  now: () => number
}

/** The date that was announced as the end of the first version. */
const ANNOUNCED = new Date('2024-06-30T23:59:59Z')

/**
 * Announces in every response that the route will end. After the sunset, refuses every request.
 *
 * If no sunset is configured, the responses still contain the announced date.
 *
 * @throws gone
 * @see RFC 9745 (Deprecation), RFC 8594 (Sunset), RFC 5829 (successor-version)
 */
export function announceDeprecation({ sunset, baseUrl, now }: Deprecation): RequestHandler {
  const date = sunset ?? ANNOUNCED
  return (_request, response, next) => {
    response.setHeader('deprecation', `@${Math.floor(ANNOUNCED.getTime() / 1_000)}`)
    response.setHeader('sunset', date.toUTCString())
    nameSuccessor(response, `${baseUrl}/docs`)
    if (sunset && now() > sunset.getTime()) throw new ApiError('gone')
    next()
  }
}

/** Sets the link to the successor of the route: the documentation, or the new path once the app is known. */
export function nameSuccessor(response: Response, address: string): void {
  response.setHeader('link', `<${address}>; rel="successor-version"`)
}
