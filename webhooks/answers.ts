import { z } from 'zod'

/** A number of the field in the one spelling that we answer. */
export const canonicalNumber = z.string().regex(/^0x[0-9a-f]{64}$/)

/** ISO 8601 with offset. */
export const timestamp = z.iso.datetime({ offset: true })

/** What is answered when there is nothing to tell. */
export const Done = z.strictObject({ success: z.literal(true) })

/** What Hasura is answered when what it asked for failed (spec 7). */
export const Failure = z.strictObject({ success: z.literal(false), error: z.string() })
