import { z } from 'zod'
import { present } from '../../lib/present.ts'
import type { Sdk } from '../generated/sdk.ts'
import { type Context, jsonOperation } from '../route/operation.ts'

export type ExpireServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

/** A message is sent or given up within three days; its outcome can be looked up for a month. */
const MAIL_KEPT_MS = 30 * 86_400_000

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
      const gone = await graphql.Expire(
        { now: isoTime(now()), long_ago: isoTime(now() - MAIL_KEPT_MS) },
        { 'x-request-id': requestId },
      )
      const counts = Object.entries(gone).map(([what, rows]) => [
        what,
        present(rows, `the count of ${what}`).affected_rows,
      ])
      return { success: true, deleted: Object.fromEntries(counts) } as const
    },
)

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
