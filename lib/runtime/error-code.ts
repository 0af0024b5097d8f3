/**
 * Returns the code of an operating system error, like `EEXIST`, or undefined. Does not use `instanceof Error`: Jest runs
 * tests in a separate realm, where errors of Node's modules are not instances of `Error`.
 */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
