/**
 * Returns the value of an object's own key, for untrusted keys: `constructor` and other inherited keys are not found.
 */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
