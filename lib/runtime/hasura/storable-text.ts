/**
 * True if PostgreSQL can store a caller's text. A query for any other text fails, and so does every other query in the
 * same call.
 */
export function isStorableText(text: string): boolean {
  return text.length <= 512 && !text.includes('\0') && text.isWellFormed()
}
