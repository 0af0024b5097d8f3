/** Returns the `_ilike` pattern for rows that contain a text. */
export function likePattern(text: string): string {
  return `%${prefixPattern(text)}`
}

/** Returns the `_like` or `_ilike` pattern for rows that begin with a text. */
export function prefixPattern(text: string): string {
  return `${text.replaceAll(/[%_\\]/g, '\\$&')}%`
}
