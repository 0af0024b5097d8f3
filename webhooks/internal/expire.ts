import type { RequestHandler } from 'express'
import type { Sdk } from '../generated/sdk.ts'

export type ExpireServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/**
 * Deletes what has expired and is refused already.
 *
 * @returns `{ success, deleted: { [what]: count } }`
 */
export function expire({ graphql, now }: ExpireServices): RequestHandler {
  return async (_request, response) => {
    const { requestId } = response.locals.context
    const gone = await graphql.Expire(
      { now: new Date(now()).toISOString() },
      { 'x-request-id': requestId },
    )
    const counts = Object.entries(gone).map(([what, rows]) => [what, rows?.affected_rows ?? 0])
    response.json({ success: true, deleted: Object.fromEntries(counts) })
  }
}
