import { randomUUID } from 'node:crypto'
import { type Repeatable, requireSameRequest } from '../../lib/runtime/web/idempotency-key.ts'
import type { Verification } from '../../lib/verification/verification.ts'
import type { CountedRequestFragment } from '../generated/sdk.ts'
import { VerificationLevel } from './proof-fields.ts'
import type { TokenIdentity } from './verification-token.ts'

/** Whom to count, and for which request. */
type Person = {
  appId: string
  action: { id: string; max_verifications: number }
  nullifierHash: string
  requestId: string
  /** What the proof was checked for; undefined if the request names none. */
  level?: VerificationLevel
}

/** A person who was counted. */
export type Counted = Pick<CountedRequestFragment, 'nullifier_hash' | 'uses' | 'created_at'> & {
  /** The action's limit at the time. */
  max_uses: number
  /** What the proof of the request that was counted was checked for; null if it named none. */
  level: VerificationLevel | null
  /** What the verification tokens of a request and its repetitions have in common; null where there are none. */
  token: TokenIdentity | null
  /** Whether an earlier request was counted, and not this one. */
  isReplay: boolean
}

/**
 * Counts a person, for a request with an idempotency key once.
 *
 * @returns null when the limit is reached
 * @throws idempotency_key_reused, unavailable
 */
export async function countPerson(
  verification: Pick<Verification, 'record' | 'recordOnce'>,
  { appId, action, nullifierHash, requestId, level }: Person,
  repeatable: Repeatable | null,
): Promise<Counted | null> {
  const person = { actionId: action.id, nullifierHash, requestId }
  if (!repeatable) {
    const recorded = await verification.record(person)
    const max_uses = action.max_verifications
    const rest = { max_uses, level: level ?? null, token: null, isReplay: false }
    return recorded && { ...recorded, ...rest }
  }
  const tokenId = randomUUID()
  const row = await verification.recordOnce(person, { ...repeatable, appId, tokenId, level })
  return row && { ...countedBefore(row, repeatable), isReplay: row.token_id !== tokenId }
}

const NamedLevel = VerificationLevel.nullable()

/**
 * The person whom an earlier request with the same key counted.
 *
 * @throws idempotency_key_reused
 */
export function countedBefore(row: CountedRequestFragment, repeatable: Repeatable): Counted {
  requireSameRequest(row, repeatable)
  return {
    nullifier_hash: row.nullifier_hash,
    uses: row.uses,
    created_at: row.verified_at,
    max_uses: row.max_uses,
    level: NamedLevel.parse(row.verification_level ?? null),
    token: { id: row.token_id, issuedAt: new Date(row.created_at) },
    isReplay: true,
  }
}
