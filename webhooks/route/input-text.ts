import { z } from 'zod'

const REQUIRED = { error: 'This attribute is required.', params: { code: 'required' } }

/** A required text. An absent, null or empty text gets the error `required`. */
export const requiredText = z
  .unknown()
  .refine((value) => value !== undefined && value !== null && value !== '', REQUIRED)
  .pipe(z.string())

/** A required text that may be empty. */
export const presentText = z
  .unknown()
  .refine((value) => value !== undefined && value !== null, REQUIRED)
  .pipe(z.string())

/** A display name that PostgreSQL can store: no control characters, no lone surrogates. */
export const displayName = z
  .string()
  .trim()
  .regex(
    /^[^\p{Cc}\p{Cs}\u2028\u2029]{1,128}$/u,
    'Must be 1 to 128 characters, without control characters.',
  )
