import type { VerificationLevel } from '../../proof/verification-level.ts'
import type { RecordRequestsMutation, Sdk } from '../generated/sdk.ts'
import type { Person } from './record-nullifiers.ts'

/** A person whose request has an idempotency key, which is the app's. */
export type PersonOnce = Person & {
  appId: string
  keyHash: string
  fingerprint: string
  /** The `jti` of the verification token, if this request is the one that is counted. */
  tokenId: string
  /** What the proof was checked for; undefined if the request names none. */
  level: VerificationLevel | undefined
}

/**
 * A request that was counted, with what it was answered with; `created_at` is when. It may have been another request
 * with the same key: then the fingerprint or the token's id differ.
 */
export type CountedRequest = RecordRequestsMutation['record_requests'][number]

/**
 * Counts one verification for each key that was not counted in the last day, in one statement.
 *
 * @param waits whether it waits for others with the same key, and for a transaction that is deleting an action; if not,
 *   nobody is counted for this key or action
 * @returns for each person, in order, the request that was counted with the key; null when the limit was reached before
 * @throws unavailable when there is no answer; then some may have been counted all the same
 */
export function recordRequests(graphql: Pick<Sdk, 'RecordRequests'>, waits: boolean) {
  return async (people: readonly PersonOnce[]): Promise<(CountedRequest | null)[]> => {
    const requests = people.map((person) => ({
      app_id: person.appId,
      key_hash: person.keyHash,
      fingerprint: person.fingerprint,
      action_id: person.actionId,
      nullifier_hash: person.nullifierHash,
      token_id: person.tokenId,
      verification_level: person.level,
    }))
    const headers = { 'x-request-id': people.map(({ requestId }) => requestId).join() }
    const { record_requests } = await graphql.RecordRequests({ requests, waits }, headers)
    const counted = new Map(record_requests.map((row) => [`${row.app_id} ${row.key_hash}`, row]))
    return people.map(({ appId, keyHash }) => counted.get(`${appId} ${keyHash}`) ?? null)
  }
}
