import { z } from 'zod'

/** A field element in its canonical spelling, as in all responses. */
export const canonicalNumber = z.string().regex(/^0x[0-9a-f]{64}$/)

/** A time as ISO 8601 text with an offset. */
export const timestamp = z.iso.datetime({ offset: true })

/** The response of an operation that has no result. */
export const Done = z.strictObject({ success: z.literal(true) })

/** The response to Hasura when an operation failed (spec 7). */
export const Failure = z.strictObject({ success: z.literal(false), error: z.string() })
