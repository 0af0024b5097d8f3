/**
 * The same clock, but one that stands still where that one goes back, as when a machine's clock is corrected: what is
 * remembered for a time would else be remembered for longer.
 */
export function createSteadyClock(now: () => number): () => number {
  let last = now()
  let back = 0
  return () => {
    const time = now()
    if (time < last) back += last - time
    last = time
    return time + back
  }
}
