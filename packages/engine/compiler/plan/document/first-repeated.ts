/** Returns the first name that has occurred before. */
export function firstRepeated(names: readonly string[]): string | undefined {
  const previousNames = new Set<string>()
  return names.find((name) => {
    const isRepeated = previousNames.has(name)
    previousNames.add(name)
    return isRepeated
  })
}
