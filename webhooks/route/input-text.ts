import { z } from 'zod'

const REQUIRED = { error: 'This attribute is required.', params: { code: 'required' } }

/** A text that must be there: absent, null and empty are all `required`. */
export const requiredText = z
  .unknown()
  .refine((value) => value !== undefined && value !== null && value !== '', REQUIRED)
  .pipe(z.string())

/** A text that must be there and may be empty. */
export const presentText = z
  .unknown()
  .refine((value) => value !== undefined && value !== null, REQUIRED)
  .pipe(z.string())

/** A name for people to read that PostgreSQL can store: no control characters, no lone surrogates. */
export const displayName = z
  .string()
  .trim()
  .regex(
    /^[^\p{Cc}\p{Cs}\u2028\u2029]{1,128}$/u,
    'Must be 1 to 128 characters, without control characters.',
  )
