/** The first name that has occurred before. */
export function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find((name) => {
    const known = seen.has(name)
    seen.add(name)
    return known
  })
}
