/** Returns the result of `work`, or null after `ms` milliseconds; the work continues. */
export async function resultInTime<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const { promise: timeout, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), ms)
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
