import { z } from 'zod'
import { requireValue } from '../../lib/runtime/require-value.ts'
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
 * Deletes expired rows, old messages, old idempotency keys, old refused requests, and accounts that were not verified within a week.
 *
 * @returns `{ success, deleted: { [table]: count } }`
 */
export const expire = jsonOperation(
  {
    tag: 'Internal',
    summary: 'Delete expired rows',
    output: Deleted,
    errors: ['unavailable'],
  },
  ({ graphql, now }: ExpireServices) =>
    async (_input: undefined, { requestId }: Context) => {
      const headers = { 'x-request-id': requestId }
      const daysAgo = (days: number) => new Date(now() - days * DAY_MS).toISOString()
      const { unverified_accounts, ...deletions } = await graphql.Expire(
        // A message is sent or abandoned within three days. Its row stays for a month, for support.
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
      for (const [table, rows] of Object.entries(deletions))
        deleted[table] = requireValue(rows, `the count of ${table}`).affected_rows
      return { success: true, deleted } as const
    },
)

/** The maximum number of rows that one statement deletes from a table, so that no statement takes long. */
const BATCH = 2_000

/** The maximum number of batches in a run: two million rows of a table. The next run, an hour later, deletes the rest. */
const MAX_BATCHES = 1_000

/** Deletes old idempotency keys and refused requests in batches, since there may be many in a day. */
async function removeOldRequests(graphql: Sdk, headers: Record<string, string>) {
  const counts = { counted_requests: 0, answered_requests: 0, refused_requests: 0 }
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const { counted, answered, refused } = await graphql.RemoveOldRequests({ most: BATCH }, headers)
    counts.counted_requests += counted.length
    counts.answered_requests += answered.length
    counts.refused_requests += refused.length
    if ([counted, answered, refused].every(({ length }) => length < BATCH)) break
  }
  return counts
}
