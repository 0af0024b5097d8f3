import type { VerificationLevel } from '../../proof/verification-level.ts'
import { ApiError } from '../../runtime/errors.ts'
import { createFairQueue, type FairQueue } from '../../runtime/limits/fair-queue.ts'
import type { RecordNullifiersMutation, RecordRequestsMutation, Sdk } from '../generated/sdk.ts'
import type { Gather, RunBatch } from './gather-calls.ts'

/**
 * A person to count for an action, with the protocol of the proof. The nullifier hash is canonical: `0x` and 64 lower-case
 * digits.
 */
export type Person = {
  actionId: string
  nullifierHash: string
  protocol: '3.0' | '4.0'
  requestId: string
}

/** A request with an idempotency key. The key belongs to the app. */
export type RequestWithKey = {
  appId: string
  keyHash: string
  fingerprint: string
  /** The `jti` of the verification token, if this request is counted. */
  tokenId: string
  /** The checked verification level; undefined if the request names no level. */
  level: VerificationLevel | undefined
  /** The outcome of each proof of protocol 4.0; undefined for other requests. */
  outcomes?: readonly string[] | undefined
}

export type Recorder = {
  /**
   * Counts a verification in a single SQL statement, so concurrent instances do not interfere.
   *
   * @returns null if the person has reached the limit, or if the action is inactive or missing, or refuses the protocol. Else `uses` is the number
   *   of the person's verifications for the action, and `created_at` the time of the first (ISO 8601 with offset).
   * @throws unavailable when Hasura does not answer; the person may have been counted anyway
   */
  record(person: Person): Promise<RecordNullifiersMutation['record_nullifiers'][number] | null>
  /**
   * Counts a verification for a request with an idempotency key, unless a request with this key was counted in the last
   * day.
   *
   * @returns the counted request with its answer; null in the same cases as `record`. If another request with the same
   *   key was counted, the fingerprint or the token's id differs.
   * @throws unavailable like `record`
   */
  recordOnce(
    person: Person,
    request: RequestWithKey,
  ): Promise<RecordRequestsMutation['record_requests'][number] | null>
}

/**
 * Creates the recorder, which counts several people in a single statement. This statement skips locked actions, so that
 * an action in deletion delays only its own people. If the statement does not count a person, the reason may be a lock.
 * So a second statement for only this person waits for the lock. If the second statement does not count the person
 * either, the person has reached the limit, or the action is inactive or missing.
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

/** Few places, so that the people of a locked action take only a few of Hasura's connections. */
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

/** If `waits` is false, the statement skips the people of a locked action. */
type Locks = { waits: boolean }

/**
 * Counts a verification for each person, in a single statement.
 *
 * @returns for each person, in order, the row after the count; null if the person was not counted. If a person occurs
 *   twice, the first occurrence gets the lower count.
 */
function recordNullifiers(graphql: Pick<Sdk, 'RecordNullifiers'>, { waits }: Locks) {
  return async (people: readonly Person[]) => {
    const verifications = people.map(({ actionId, nullifierHash, protocol }) => ({
      action_id: actionId,
      nullifier_hash: nullifierHash,
      protocol,
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
 * Counts a verification for each key that was not counted in the last day, in a single statement.
 *
 * @returns for each person, in order, the counted request with the key; null if the person was not counted
 */
function recordRequests(graphql: Pick<Sdk, 'RecordRequests'>, { waits }: Locks) {
  return async (people: readonly (Person & RequestWithKey)[]) => {
    const requests = people.map((person) => ({
      app_id: person.appId,
      key_hash: person.keyHash,
      fingerprint: person.fingerprint,
      action_id: person.actionId,
      nullifier_hash: person.nullifierHash,
      protocol: person.protocol,
      token_id: person.tokenId,
      verification_level: person.level,
      outcomes: person.outcomes,
    }))
    const variables = { requests, waits }
    const { record_requests } = await graphql.RecordRequests(variables, headersOf(people))
    const rows = new Map(record_requests.map((row) => [`${row.app_id} ${row.key_hash}`, row]))
    return people.map(({ appId, keyHash }) => rows.get(`${appId} ${keyHash}`) ?? null)
  }
}

function headersOf(people: readonly Person[]) {
  return { 'x-request-id': people.map(({ requestId }) => requestId).join() }
}
