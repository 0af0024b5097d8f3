import { batchCalls } from '../../runtime/calls/batch-calls.ts'

/** Makes one call for several inputs; the answers are in the order of the inputs. */
export type RunBatch<In, Out> = (inputs: readonly In[]) => Promise<readonly Out[]>

/** Turns a call for several inputs into one for a single input, which is gathered with others. */
export type Gather = <In, Out>(run: RunBatch<In, Out>) => (input: In) => Promise<Out>

/** The longest that a call waits for others to come, and again for one that is under way. */
const MAX_WAIT_MS = 20

/** Keeps a statement short, however many calls wait. */
const MAX_BATCH_SIZE = 32

/**
 * Combines calls to Hasura: those of one kind that are made while one is under way, or shortly after one another while
 * proofs wait for a thread. Separate calls would take processor time from everything else. A call that is under way is
 * waited for only for a moment: it may be one that Hasura never answers.
 *
 * @param waitMs how long a call may wait at the moment, which is less than a new proof would wait for a thread
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
