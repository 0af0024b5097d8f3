/** Quotes a text for a shell, if the text needs quotes. */
export function shellQuoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
