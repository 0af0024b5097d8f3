import { z } from 'zod'
import { present } from '../../lib/runtime/present.ts'
import { type Context, jsonOperation } from '../../lib/runtime/web/operation.ts'
import type { Sdk } from '../generated/sdk.ts'

export type ExpireServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

const DAY_MS = 86_400_000

const Deleted = z.strictObject({
  success: z.literal(true),
  deleted: z.record(z.string(), z.int()),
})

/**
 * Deletes what has expired. All of it is refused already.
 *
 * @returns `{ success, deleted: { [what]: count } }`
 */
export const expire = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Delete what has expired',
    output: Deleted,
    errors: ['unavailable'],
  },
  ({ graphql, now }: ExpireServices) =>
    async (_input: undefined, { requestId }: Context) => {
      const headers = { 'x-request-id': requestId }
      const daysAgo = (days: number) => new Date(now() - days * DAY_MS).toISOString()
      const { unverified_accounts, ...gone } = await graphql.Expire(
        // A message is sent or given up within three days; its outcome can be looked up for a month.
        {
          now: daysAgo(0),
          a_day_ago: daysAgo(1),
          a_month_ago: daysAgo(30),
          three_months_ago: daysAgo(90),
        },
        headers,
      )
      const deleted: Record<string, number> = {
        unverified_accounts: unverified_accounts.length,
        ...(await removeOldRequests(graphql, headers)),
      }
      for (const [what, rows] of Object.entries(gone))
        deleted[what] = present(rows, `the count of ${what}`).affected_rows
      return { success: true, deleted } as const
    },
)

/** Removed in one statement, so that none takes long. */
const BATCH = 2_000

/** Two million rows; what is left waits for the next hour. */
const MAX_BATCHES = 1_000

/** There may be as many keys of requests as verifications in a day. */
async function removeOldRequests(graphql: Sdk, headers: Record<string, string>) {
  const removed = { counted_requests: 0, answered_requests: 0 }
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { counted, answered } = await graphql.RemoveOldRequests({ most: BATCH }, headers)
    removed.counted_requests += counted.length
    removed.answered_requests += answered.length
    if (counted.length < BATCH && answered.length < BATCH) break
  }
  return removed
}
