import { ApiError } from '../../runtime/errors.ts'
import { type FairQueue, fairQueue } from '../../runtime/limits/fair-queue.ts'
import type { Gather, RunBatch } from './gather-calls.ts'

type Counting<Person, Row> = {
  /** Counts several people at once, and waits for no lock. */
  together: RunBatch<Person, Row | null>
  /** Counts one, and waits. */
  waiting: RunBatch<Person, Row | null>
}

/**
 * Counts a person together with others. Who is not counted is counted again alone: that tells whether the limit is
 * reached, or there is a lock to wait for, such as that of a team that is just deleting the action, for which the others
 * should not have to wait.
 */
export function recordInTurn<Person extends { actionId: string }, Row>(
  { together, waiting }: Counting<Person, Row>,
  { gather, queue }: { gather: Gather; queue: FairQueue },
): (person: Person) => Promise<Row | null> {
  const recordTogether = gather(together)
  return async (person) => {
    const recorded = await recordTogether(person)
    if (recorded) return recorded
    const leave = await queue.enter([person.actionId]).catch((cause: unknown) => {
      throw new ApiError('unavailable', { cause })
    })
    try {
      const [alone = null] = await waiting([person])
      return alone
    } finally {
      leave()
    }
  }
}

/** Few, so that the people of an action that is locked take no more than a few of Hasura's connections. */
export function waitingRecordsQueue(): FairQueue {
  return fairQueue({
    places: 4,
    placesPerCaller: 2,
    placesForHeavy: 2,
    maxWaiting: 1_000,
    maxWaitingPerCaller: 200,
    maxWaitMs: 3_000,
  })
}
