import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Steps } from '../../compiler/plan/steps.ts'

/** Runs work that only computes, when the event loop has time for the caller. */
export type Compute = <T>(work: () => T) => Promise<T>

/** After this time, the work stops until other work had its turn. */
const SLICE_MS = 2

/**
 * Does steps in slices of the event loop.
 *
 * @param start makes the steps. Steps that would yield very often ask `isSliceOver` first.
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
    // A session with the admin secret has no turns, but lets others run.
    await nextTurn()
  }
}
