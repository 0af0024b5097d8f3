import { z } from 'zod'
import type { Sdk } from '../generated/sdk.ts'
import { type Context, operation } from '../operation.ts'

export type ExpireServices = {
  graphql: Sdk
  /** Milliseconds since the epoch. */
  now: () => number
}

const Deleted = z.strictObject({
  success: z.literal(true),
  deleted: z.record(z.string(), z.int()),
})

/**
 * Deletes what has expired and is refused already.
 *
 * @returns `{ success, deleted: { [what]: count } }`
 */
export const expire = operation(
  {
    tag: 'Internal',
    summary: 'Delete what has expired',
    output: Deleted,
    errors: ['unavailable'],
  },
  ({ graphql, now }: ExpireServices) =>
    async (_input: undefined, { requestId }: Context) => {
      const gone = await graphql.Expire(
        { now: new Date(now()).toISOString() },
        { 'x-request-id': requestId },
      )
      const counts = Object.entries(gone).map(([what, rows]) => [what, rows?.affected_rows ?? 0])
      return { success: true, deleted: Object.fromEntries(counts) } as const
    },
)
