/**
 * Returns a value that cannot be missing, although its type allows null or undefined.
 *
 * @param name the value's name for the error, like `the row that was just inserted`
 * @throws Error if the value is missing: a bug in our code
 */
export function requireValue<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined) throw new Error(`Missing: ${name}.`)
  return value
}
