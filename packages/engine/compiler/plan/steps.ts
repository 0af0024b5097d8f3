/** A long computation that yields at the points where other work may run. */
export type Steps<T> = Generator<void, T>

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
