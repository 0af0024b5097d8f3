/** Formats names for a message: each in double quotes, separated by commas. */
export function quotedNames(names: Iterable<string>): string {
  return [...names].map((name) => `"${name}"`).join(', ')
}
