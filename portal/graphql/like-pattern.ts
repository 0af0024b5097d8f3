/** Returns the `_ilike` pattern for rows that contain a text. */
export function likePattern(text: string): string {
  return `%${text.replaceAll(/[%_\\]/g, '\\$&')}%`
}
