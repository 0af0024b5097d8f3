/** Looks up a key that an outsider chose: only the object's own keys count, not `constructor` and the like. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
