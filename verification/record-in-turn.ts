import { ApiError } from '../lib/errors.ts'
import { fairQueue } from '../lib/limits/fair-queue.ts'
import type { Gather } from './gather-calls.ts'
import type { Sdk } from './generated/sdk.ts'
import { type Person, type Recorded, recordNullifiers } from './record-nullifiers.ts'

/**
 * Counts a person together with others. Who is not counted is counted again alone: that tells whether the limit is
 * reached, or a team is just deleting the action, for which the others should not have to wait.
 */
export function recordInTurn(
  graphql: Pick<Sdk, 'RecordNullifiers'>,
  gather: Gather,
): (person: Person) => Promise<Recorded | null> {
  const recordTogether = gather(recordNullifiers(graphql, false))
  const recordWaiting = recordNullifiers(graphql, true)
  const queue = fairQueue(ALONE)
  return async (person) => {
    const recorded = await recordTogether(person)
    if (recorded) return recorded
    const leave = await queue.enter([person.actionId]).catch((cause: unknown) => {
      throw new ApiError('unavailable', { cause })
    })
    try {
      const [alone = null] = await recordWaiting([person])
      return alone
    } finally {
      leave()
    }
  }
}

/** Few, so that the people of an action that is locked take no more than a few of Hasura's connections. */
const ALONE = {
  places: 4,
  placesPerCaller: 2,
  placesForHeavy: 2,
  maxWaiting: 1_000,
  maxWaitingPerCaller: 200,
  maxWaitMs: 3_000,
}
