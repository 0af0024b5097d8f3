/**
 * True if a caller's text has at most 512 characters and PostgreSQL can store it. PostgreSQL rejects a query for a text
 * that it cannot store, and then all queries in the same batch fail.
 */
export function isStorableText(text: string): boolean {
  return text.length <= 512 && !text.includes('\0') && text.isWellFormed()
}
