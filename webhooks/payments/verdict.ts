import type { Sighting, Sought } from './chain-reader.ts'
import type { Chain } from './chains.ts'
import { type Entered, mismatch } from './payment-mismatch.ts'

/** A transaction as it is in the table. */
export type Known = Sought &
  Entered & {
    transaction_status: string
    failure_reason?: string | null
    timestamp: string
    seen_at?: string | null
    created_at: string
  }

/** What is stored about a transaction after a sighting. */
export type Verdict = {
  transaction_status: string
  failure_reason: string | null
  from: string
  /** Of its block; null while there is none. */
  timestamp: string | null
  nonce: string | null
  block_number: string | null
  block_hash: string | null
  is_final: boolean
  /** Whether the chain knew of the transaction just now. */
  is_known: boolean
}

type Rules = {
  chain: Chain
  /** Milliseconds since the epoch. */
  now: number
  /** How long a transaction may be unknown to the chain before it counts as failed. */
  giveUpMs: number
}

/**
 * The status that follows from a sighting (spec 3): `mined` or `failed` once a block has the transaction,
 * `pending` again if that block goes away, and final once it is deep enough. `unclear` changes nothing.
 */
export function judge(known: Known, sighting: Sighting, rules: Rules): Verdict {
  switch (sighting.seen) {
    case 'in a block':
      return included(known, sighting, rules)
    case 'waiting':
      return { ...pending(known), from: sighting.from, nonce: sighting.nonce, is_known: true }
    case 'replaced':
      return { ...pending(known), ...failed('replaced'), is_final: sighting.isFinal }
    case 'nowhere':
      return isGivenUp(known, rules)
        ? { ...pending(known), ...failed(known.seen_at ? 'dropped' : 'not_found'), is_final: true }
        : pending(known)
    case 'unclear':
      return unchanged(known)
  }
}

type Included = Extract<Sighting, { seen: 'in a block' }>

function included(known: Known, sighting: Included, { chain }: Rules): Verdict {
  const reason = mismatch(known, sighting, chain.tokens)
  return {
    ...(reason ? failed(reason) : { transaction_status: 'mined', failure_reason: null }),
    from: sighting.from,
    timestamp: sighting.block.time.toISOString(),
    nonce: sighting.nonce,
    block_number: String(sighting.block.number),
    block_hash: sighting.block.hash,
    is_final: sighting.isFinal,
    is_known: true,
  }
}

function failed(reason: string) {
  return { transaction_status: 'failed', failure_reason: reason }
}

function pending({ from, nonce = null }: Known): Verdict {
  return {
    transaction_status: 'pending',
    failure_reason: null,
    from,
    timestamp: null,
    nonce,
    block_number: null,
    block_hash: null,
    is_final: false,
    is_known: false,
  }
}

function unchanged(known: Known): Verdict {
  const { transaction_status, failure_reason = null, from, timestamp } = known
  const { nonce = null, block_number = null, block_hash = null } = known
  return {
    transaction_status,
    failure_reason,
    from,
    timestamp,
    nonce,
    block_number,
    block_hash,
    is_final: false,
    is_known: false,
  }
}

function isGivenUp({ seen_at, created_at }: Known, { now, giveUpMs }: Rules): boolean {
  return now - Date.parse(seen_at ?? created_at) > giveUpMs
}
