/** Names as messages list them. */
export function quotedNames(names: Iterable<string>): string {
  return [...names].map((name) => `"${name}"`).join(', ')
}
