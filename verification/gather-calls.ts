import { shareCalls } from '../lib/hasura/share-calls.ts'

/** Does for several inputs at once what one caller asks for; answers in the order of the inputs. */
type Run<In, Out> = (inputs: readonly In[]) => Promise<readonly Out[]>

export type Gather = <In, Out>(run: Run<In, Out>) => (input: In) => Promise<Out>

/** The longest that a caller waits for others. */
const MAX_WAIT_MS = 20

/** Keeps one statement short, whoever else waits. */
const MAX_BATCH_SIZE = 32

/**
 * Turns calls to Hasura that come close together into one, while proofs queue for a thread: separate
 * calls would take CPU from the threads, and waiting for others costs a caller nothing, since its proof
 * would wait for a thread anyway. While threads are idle, calls are made at once.
 *
 * @param waitMs how long a call may wait for others now: less than a new proof would wait for a thread
 */
export function createGatherer(waitMs: () => number): Gather {
  return (run) =>
    shareCalls(run, { maxBatch: MAX_BATCH_SIZE, waitMs: () => Math.min(waitMs(), MAX_WAIT_MS) })
}
