/**
 * Makes a clock that never goes backwards, so that cached entries do not outlive their time when the system clock is
 * corrected.
 */
export function createSteadyClock(now: () => number): () => number {
  let last = now()
  let offset = 0
  return () => {
    const time = now()
    if (time < last) offset += last - time
    last = time
    return time + offset
  }
}
