/**
 * Whether the database can store a text. A query for one that it cannot store would fail, and with it all
 * questions that share the call.
 */
export function canBeStored(text: string): boolean {
  return text.length <= 512 && !text.includes('\0') && text.isWellFormed()
}
