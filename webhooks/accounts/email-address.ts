import { z } from 'zod'

/** The longest address that SMTP can carry (RFC 5321). */
const MAX_LENGTH = 254

/**
 * Returns an e-mail address as it is stored and compared: trimmed and in lower case. Accepts any text.
 */
export function normaliseEmail(text: string): string {
  return text.trim().toLowerCase()
}

/** True if a normalised text is an address: ASCII without line breaks, so it cannot inject mail headers. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_LENGTH && z.email().safeParse(text).success
}

/** An address in any spelling, parsed to the stored spelling. */
export const emailAddress = z
  .string()
  .transform(normaliseEmail)
  .refine(isEmail, { error: 'Must be an e-mail address.', params: { code: 'invalid' } })
