/**
 * Whether a text may be in the database at all. One that may not would be an error there, and that of
 * everybody whose question shares the call.
 */
export function canBeStored(text: string): boolean {
  return text.length <= 512 && !text.includes('\0') && text.isWellFormed()
}
