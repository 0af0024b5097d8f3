/**
 * The code of an error of the operating system, such as `EEXIST`; undefined where there is none. Jest runs a test in a realm of its
 * own, where an error of Node's modules is no instance of `Error`.
 */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
