/** What finds the rows with a text anywhere in a column, by `_ilike`. */
export function likePattern(text: string): string {
  return `%${text.replaceAll(/[%_\\]/g, '\\$&')}%`
}
