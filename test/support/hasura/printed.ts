/** An answer as text, the same for the same rows in whatever order. */
export function printed(value: unknown, isOrdered: boolean): string {
  if (!Array.isArray(value)) return JSON.stringify(sorted(value))
  const rows = value.map((row) => JSON.stringify(sorted(row)))
  return `[${(isOrdered ? rows : rows.toSorted()).join()}]`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sorted(each)]))
}
