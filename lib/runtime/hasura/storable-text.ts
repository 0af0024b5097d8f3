/**
 * Whether PostgreSQL can store a caller's text. A query that looks for a text which it cannot store fails, and with
 * it every other query in the same call.
 */
export function isStorableText(text: string): boolean {
  return text.length <= 512 && !text.includes('\0') && text.isWellFormed()
}
