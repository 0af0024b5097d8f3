import { batchCalls } from '../lib/calls/batch-calls.ts'

/** Makes one call for several inputs; the answers are in the order of the inputs. */
export type RunBatch<In, Out> = (inputs: readonly In[]) => Promise<readonly Out[]>

/** Turns a call for several inputs into one for a single input, which is gathered with others. */
export type Gather = <In, Out>(run: RunBatch<In, Out>) => (input: In) => Promise<Out>

/** The longest that a call waits for others. */
const MAX_WAIT_MS = 20

/** Keeps a statement short, however many calls wait. */
const MAX_BATCH_SIZE = 32

/**
 * Combines calls to Hasura that are made shortly after one another, while proofs wait for a thread. Separate calls would
 * take processor time from the threads, and the wait costs the caller nothing, because its proof would wait for a thread
 * anyway. While threads are idle, calls are made at once.
 *
 * @param waitMs how long a call may wait at the moment, which is less than a new proof would wait for a thread
 */
export function createGatherer(waitMs: () => number): Gather {
  return (run) =>
    batchCalls(run, { maxBatch: MAX_BATCH_SIZE, waitMs: () => Math.min(waitMs(), MAX_WAIT_MS) })
}
