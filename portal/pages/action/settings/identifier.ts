/** The maximum length of an identifier in the database. */
export const MAX_IDENTIFIER = 256

/**
 * Makes an identifier from the name of an action: lower case, with hyphens between words. Letters of every script stay, but
 * lose their accents.
 */
export function identifierFrom(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, MAX_IDENTIFIER)
}
