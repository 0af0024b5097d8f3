/** What a table has under a key that an outsider chose: its own, never `constructor` and the like. */
export function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
