import type { VerificationLevel } from '../../proof/verification-level.ts'
import { ApiError } from '../../runtime/errors.ts'
import { createFairQueue, type FairQueue } from '../../runtime/limits/fair-queue.ts'
import type { RecordNullifiersMutation, RecordRequestsMutation, Sdk } from '../generated/sdk.ts'
import type { Gather, RunBatch } from './gather-calls.ts'

/** A person to count for an action; the nullifier hash is canonical: `0x` and 64 lower-case digits. */
export type Person = { actionId: string; nullifierHash: string; requestId: string }

/** The request with an idempotency key that a person is counted for; the key is the app's. */
export type RequestWithKey = {
  appId: string
  keyHash: string
  fingerprint: string
  /** The `jti` of the verification token, if this request is the one that is counted. */
  tokenId: string
  /** The verification level that the proof was checked for; undefined if the request names none. */
  level: VerificationLevel | undefined
}

export type Recorder = {
  /**
   * Counts one verification, in one statement of the database, so that any number of instances may do so at once.
   *
   * @returns the person's verifications for the action: `uses` is their number, `created_at` the first (ISO 8601 with
   *   offset); null when the person has already done the action as often as is allowed
   * @throws unavailable when there is no answer; then the person may have been counted all the same
   */
  record(person: Person): Promise<RecordNullifiersMutation['record_nullifiers'][number] | null>
  /**
   * The same for a request with an idempotency key, which is counted unless a request with this key was counted in the
   * last day.
   *
   * @returns the request that was counted, with its answer; it may be another request with the same key: then the
   *   fingerprint or the token's id differ. Null as above.
   * @throws unavailable as above
   */
  recordOnce(
    person: Person,
    request: RequestWithKey,
  ): Promise<RecordRequestsMutation['record_requests'][number] | null>
}

/**
 * Records people together with others. A person who is not counted together with others is counted again alone: then the
 * limit is reached, or there is a lock to wait for, such as that of a team that is deleting the action, and the others
 * should not have to wait for the lock.
 */
export function createRecorder(
  graphql: Pick<Sdk, 'RecordNullifiers' | 'RecordRequests'>,
  gather: Gather,
): Recorder {
  const queue = createFairQueue(WAITING_RECORDS)
  const recordTogether = gather(recordNullifiers(graphql, { waits: false }))
  const recordAlone = recordNullifiers(graphql, { waits: true })
  const recordOnceTogether = gather(recordRequests(graphql, { waits: false }))
  const recordOnceAlone = recordRequests(graphql, { waits: true })
  return {
    record: async (person) =>
      (await recordTogether(person)) ?? waitAlone(queue, recordAlone, person),
    async recordOnce(person, request) {
      const both = { ...person, ...request }
      return (await recordOnceTogether(both)) ?? waitAlone(queue, recordOnceAlone, both)
    },
  }
}

/** Few places, so that the people of an action that is locked take no more than a few of Hasura's connections. */
const WAITING_RECORDS = {
  places: 4,
  placesPerCaller: 2,
  placesForHeavy: 2,
  maxWaiting: 1_000,
  maxWaitingPerCaller: 200,
  maxWaitMs: 3_000,
}

async function waitAlone<Input extends Person, Row>(
  queue: FairQueue,
  record: RunBatch<Input, Row | null>,
  input: Input,
): Promise<Row | null> {
  const leave = await queue.enter([input.actionId]).catch((cause: unknown) => {
    throw new ApiError('unavailable', { cause })
  })
  try {
    const [row = null] = await record([input])
    return row
  } finally {
    leave()
  }
}

/** Whether the statement waits for locks; a statement that does not wait counts no person of a locked action. */
type Locks = { waits: boolean }

/**
 * Counts one verification for each person, in one statement.
 *
 * @returns for each person, in order, the row after the count; null when the limit was reached before. If a person
 *   occurs twice, the first occurrence gets the lower count.
 */
function recordNullifiers(graphql: Pick<Sdk, 'RecordNullifiers'>, { waits }: Locks) {
  return async (people: readonly Person[]) => {
    const verifications = people.map(({ actionId, nullifierHash }) => ({
      action_id: actionId,
      nullifier_hash: nullifierHash,
    }))
    const variables = { verifications, waits }
    const { record_nullifiers } = await graphql.RecordNullifiers(variables, headersOf(people))
    const rows = Map.groupBy(record_nullifiers, (row) => `${row.action_id} ${row.nullifier_hash}`)
    return people.map(
      ({ actionId, nullifierHash }) => rows.get(`${actionId} ${nullifierHash}`)?.shift() ?? null,
    )
  }
}

/**
 * Counts one verification for each key that was not counted in the last day, in one statement.
 *
 * @returns for each person, in order, the request that was counted with the key; null when the limit was reached before
 */
function recordRequests(graphql: Pick<Sdk, 'RecordRequests'>, { waits }: Locks) {
  return async (people: readonly (Person & RequestWithKey)[]) => {
    const requests = people.map((person) => ({
      app_id: person.appId,
      key_hash: person.keyHash,
      fingerprint: person.fingerprint,
      action_id: person.actionId,
      nullifier_hash: person.nullifierHash,
      token_id: person.tokenId,
      verification_level: person.level,
    }))
    const variables = { requests, waits }
    const { record_requests } = await graphql.RecordRequests(variables, headersOf(people))
    const counted = new Map(record_requests.map((row) => [`${row.app_id} ${row.key_hash}`, row]))
    return people.map(({ appId, keyHash }) => counted.get(`${appId} ${keyHash}`) ?? null)
  }
}

function headersOf(people: readonly Person[]) {
  return { 'x-request-id': people.map(({ requestId }) => requestId).join() }
}
