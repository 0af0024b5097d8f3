/**
 * The value, which must be there: for what the code around it makes sure of and the type cannot say.
 *
 * @param what names the value in the error, such as `the row that was just inserted`
 * @throws Error when the value is null or undefined, which is a bug of ours
 */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`Missing: ${what}.`)
  return value
}
