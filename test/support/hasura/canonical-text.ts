/** Returns an answer as text. The order of its rows does not matter, unless `isOrdered`. */
export function canonicalText(value: unknown, isOrdered: boolean): string {
  if (!Array.isArray(value)) return JSON.stringify(sortedLists(value))
  const rows = value.map((row) => JSON.stringify(sortedLists(row)))
  return `[${(isOrdered ? rows : rows.toSorted()).join()}]`
}

function sortedLists(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .map(sortedLists)
      .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sortedLists(each)]))
}
