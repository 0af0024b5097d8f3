/** Names as messages list them. */
export function quotedList(names: Iterable<string>): string {
  return [...names].map((name) => `"${name}"`).join(', ')
}
