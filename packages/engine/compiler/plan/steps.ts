/** Work that computes for long. It yields where other work may run. */
export type Steps<T> = Generator<void, T>

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
