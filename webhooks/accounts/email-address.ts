import { z } from 'zod'

/** The longest address that SMTP can carry (RFC 5321). */
const MAX_LENGTH = 254

/**
 * The one spelling of an e-mail address that is stored and compared: trimmed and in lower case.
 * Takes any text, an address or not.
 */
export function normaliseEmail(text: string): string {
  return text.trim().toLowerCase()
}

/** Whether a normalised text is an address: ASCII and no line breaks, so nothing can be injected into a header. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_LENGTH && z.email().safeParse(text).success
}

/** An address in any spelling; parsed to the one that is stored. */
export const emailAddress = z
  .string()
  .transform(normaliseEmail)
  .refine(isEmail, { error: 'Must be an e-mail address.', params: { code: 'invalid' } })
