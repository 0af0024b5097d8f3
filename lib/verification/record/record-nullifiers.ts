import type { RecordNullifiersMutation, Sdk } from '../generated/sdk.ts'

/** A person within an action; the nullifier hash is canonical: `0x` and 64 lower-case digits. */
export type Person = { actionId: string; nullifierHash: string; requestId: string }

/** A person's verifications for an action: `uses` is their number, `created_at` the first (ISO 8601 with offset). */
export type Recorded = RecordNullifiersMutation['record_nullifiers'][number]

/**
 * Counts one verification for each person, in one statement.
 *
 * @param waits whether it waits for a transaction that is deleting an action; if not, nobody is counted for this action
 * @returns for each person, in order, the row after the count; null when the limit was reached before. If a person
 *   occurs twice, the first occurrence gets the lower count.
 * @throws unavailable when there is no answer; then some may have been counted all the same
 */
export function recordNullifiers(graphql: Pick<Sdk, 'RecordNullifiers'>, waits: boolean) {
  return async (people: readonly Person[]): Promise<(Recorded | null)[]> => {
    const verifications = people.map(({ actionId, nullifierHash }) => ({
      action_id: actionId,
      nullifier_hash: nullifierHash,
    }))
    const headers = { 'x-request-id': people.map(({ requestId }) => requestId).join() }
    const { record_nullifiers } = await graphql.RecordNullifiers({ verifications, waits }, headers)
    const rows = Map.groupBy(record_nullifiers, (row) => `${row.action_id} ${row.nullifier_hash}`)
    return people.map(
      ({ actionId, nullifierHash }) => rows.get(`${actionId} ${nullifierHash}`)?.shift() ?? null,
    )
  }
}
