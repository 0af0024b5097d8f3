import { shareCalls } from '../lib/share-calls.ts'

/** Carries out what several callers asked for at once; answers in the order of the inputs. */
type Run<In, Out> = (inputs: readonly In[]) => Promise<readonly Out[]>

export type Gather = <In, Out>(run: Run<In, Out>) => (input: In) => Promise<Out>

/** No caller waits longer for others. */
const MOST_MS = 20

/** Keeps one statement short, whoever else waits. */
const MAX_SIZE = 32

/**
 * Makes one call to Hasura of many that come close together, when the threads have more to do than
 * they can: then a call of one's own costs them time, and waiting for others costs nobody any, since
 * the proof would wait for a thread anyway. A service with idle threads calls at once.
 *
 * @param waitMs how long others may be waited for now: less than a new proof would wait for a thread
 */
export function gatherer(waitMs: () => number): Gather {
  return (run) => shareCalls(run, { maxBatch: MAX_SIZE, waitMs: () => Math.min(waitMs(), MOST_MS) })
}
