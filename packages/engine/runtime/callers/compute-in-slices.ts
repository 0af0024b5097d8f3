import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '../../compiler/plan/steps.ts'

/** Runs a computation once the event loop has time for the caller. */
export type Compute = <T>(work: () => T) => Promise<T>

/** The time after which a computation lets other work run. */
const SLICE_MS = 2

/**
 * Runs the steps of a generator in slices, so that the event loop can run other work between the slices.
 *
 * @param start creates the generator. If its steps are very short, it should yield only if `isSliceOver` returns true.
 */
export async function computeInSlices<T>(
  compute: Compute,
  start: (isSliceOver: () => boolean) => Steps<T>,
): Promise<T> {
  let began = 0
  const isSliceOver = () => performance.now() - began > SLICE_MS
  const steps = start(isSliceOver)
  const runSlice = () => {
    began = performance.now()
    for (;;) {
      const step = steps.next()
      if (step.done || isSliceOver()) return step
    }
  }
  for (;;) {
    const step = await compute(runSlice)
    if (step.done) return step.value
    // Work with the admin secret does not wait for its share, but must also let other work run.
    await nextTurn()
  }
}
