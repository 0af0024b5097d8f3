import { batchCalls } from '../../runtime/calls/batch-calls.ts'

/** Makes a call for several inputs; the results are in the order of the inputs. */
export type RunBatch<In, Out> = (inputs: readonly In[]) => Promise<readonly Out[]>

/** Turns a call for several inputs into a function of a single input, which batches its calls. */
export type Gather = <In, Out>(run: RunBatch<In, Out>) => (input: In) => Promise<Out>

/** The longest wait for further calls, and the longest wait for a call under way. */
const MAX_WAIT_MS = 20

/** Keeps the SQL statement short, even if many calls wait. */
const MAX_BATCH_SIZE = 32

/**
 * Batches calls of the same kind to Hasura while another call is under way, or while proofs wait for a thread. Separate calls
 * would take more CPU. A batch waits at most `MAX_WAIT_MS` for a call under way, since Hasura may never answer that call.
 *
 * @param waitMs returns how long a call may wait now: less than a new proof would wait for a thread
 */
export function createGatherer(waitMs: () => number): Gather {
  return (run) =>
    batchCalls(run, {
      maxBatch: MAX_BATCH_SIZE,
      maxUnderWay: 1,
      maxWaitMs: MAX_WAIT_MS,
      waitMs: () => Math.min(waitMs(), MAX_WAIT_MS),
    })
}
