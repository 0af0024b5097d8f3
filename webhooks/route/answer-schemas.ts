import { z } from 'zod'

/** A field element in the one spelling that we answer with. */
export const canonicalNumber = z.string().regex(/^0x[0-9a-f]{64}$/)

/** ISO 8601 with offset. */
export const timestamp = z.iso.datetime({ offset: true })

/** The answer when there is nothing to report but success. */
export const Done = z.strictObject({ success: z.literal(true) })

/** The answer to Hasura when what it asked for failed (spec 7). */
export const Failure = z.strictObject({ success: z.literal(false), error: z.string() })
