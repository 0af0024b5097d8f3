/** The value of an object's own key. For keys from outside, so that `constructor` and the like are not found. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
