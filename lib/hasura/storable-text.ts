/**
 * Whether PostgreSQL can store a text of a caller's. A query that looks for another one would fail, and with it every
 * query that shares its call.
 */
export function isStorableText(text: string): boolean {
  return text.length <= 512 && !text.includes('\0') && text.isWellFormed()
}
