import { z } from 'zod'

const MIN_CHARACTERS = 8
const MAX_CHARACTERS = 200

/** A new password: 8 to 200 characters of any kind (spec 4.1). */
export const newPassword = z
  .string()
  .refine((text) => characterCount(text) >= MIN_CHARACTERS, {
    error: `Must have at least ${MIN_CHARACTERS} characters.`,
    params: { code: 'min_length' },
  })
  .refine(
    (text) => characterCount(text) <= MAX_CHARACTERS,
    `Must have at most ${MAX_CHARACTERS} characters.`,
  )

/** Counts characters. é counts once, although a keyboard may send it as one code point or as two. */
function characterCount(text: string): number {
  return [...text.normalize('NFC')].length
}
