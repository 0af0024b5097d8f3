import { randomUUID } from 'node:crypto'
import {
  type IdempotentRequest,
  requireSameRequest,
} from '../../lib/runtime/web/idempotency-key.ts'
import type { Person } from '../../lib/verification/record/record-person.ts'
import type { Verification } from '../../lib/verification/verification.ts'
import type { CountedRequestFragment } from '../generated/sdk.ts'
import { VerificationLevel } from './proof-fields.ts'
import type { TokenIdentity } from './verification-token.ts'

/** A person who was counted, by this request or by an earlier request with the same idempotency key. */
export type CountedPerson = {
  nullifier_hash: string
  /** How often the person has verified for the action, including this time. */
  uses: number
  /** When the person first verified for the action (ISO 8601 with offset). */
  created_at: string
  /** The action's limit when the person was counted. */
  max_uses: number
  /** The level that the proof was checked for; null if the request named none. */
  level: VerificationLevel | null
  /** The outcome of each proof of protocol 4.0; null for other requests. Parsed by the reader. */
  outcomes: unknown
  /** The identity of the verification token, the same for all retries. Null for a request without an idempotency key. */
  token: TokenIdentity | null
  /** True if an earlier request counted the person, so that this request did not. */
  isReplay: boolean
}

/** The values of a request that `countPerson` stores or returns with the count. */
type RequestToCount = {
  appId: string
  maxUses: number
  /** The level that the proof was checked for; undefined if the request names none. */
  level?: VerificationLevel
  /** The outcome of each proof of protocol 4.0. */
  outcomes?: readonly string[]
  /** Null for a request without an idempotency key. */
  repeatable: IdempotentRequest | null
}

/**
 * Counts a person within the action's limit. Of all requests with the same idempotency key, only one counts the person.
 *
 * @returns null when the limit is reached
 * @throws idempotency_key_reused, unavailable
 */
export async function countPerson(
  verification: Pick<Verification, 'record' | 'recordOnce'>,
  person: Person,
  { appId, maxUses, level, outcomes, repeatable }: RequestToCount,
): Promise<CountedPerson | null> {
  if (!repeatable) {
    const row = await verification.record(person)
    const values = { max_uses: maxUses, level: level ?? null, outcomes: outcomes ?? null }
    return row && { ...row, ...values, token: null, isReplay: false }
  }
  const tokenId = randomUUID()
  const row = await verification.recordOnce(person, {
    ...repeatable,
    appId,
    tokenId,
    level,
    outcomes,
  })
  return row && { ...readCountedPerson(row, repeatable), isReplay: row.token_id !== tokenId }
}

const NamedLevel = VerificationLevel.nullable()

/**
 * Returns the person whom a request with the same key counted.
 *
 * @throws idempotency_key_reused
 */
export function readCountedPerson(
  row: CountedRequestFragment,
  repeatable: IdempotentRequest,
): CountedPerson {
  requireSameRequest(row, repeatable)
  return {
    nullifier_hash: row.nullifier_hash,
    uses: row.uses,
    created_at: row.verified_at,
    max_uses: row.max_uses,
    level: NamedLevel.parse(row.verification_level ?? null),
    outcomes: row.outcomes ?? null,
    token: { id: row.token_id, issuedAt: new Date(row.created_at) },
    isReplay: true,
  }
}
