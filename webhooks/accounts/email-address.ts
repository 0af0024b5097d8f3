import { z } from 'zod'

/** As long as an address may be on the wire (RFC 5321). */
const MAX_LENGTH = 254

/**
 * The one spelling of an e-mail address that is stored and compared: trimmed and in lower case.
 * The text need not be an address.
 */
export function normaliseEmail(text: string): string {
  return text.trim().toLowerCase()
}

/** Whether a normalised text can be an address: ASCII, no line ends, nothing that a header could carry away. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_LENGTH && z.email().safeParse(text).success
}
