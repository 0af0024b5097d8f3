import type { Sighting, SoughtTransaction } from './chain-reader.ts'
import type { Chain } from './chains.ts'
import { compareWithEntered, type Entered } from './payment-mismatch.ts'

/** A transaction as it is in the table. */
export type Known = SoughtTransaction &
  Entered & {
    transaction_status: string
    failure_reason?: string | null
    from: string
    block_timestamp?: string | null
    seen_at?: string | null
    created_at: string
  }

/** What is stored about a transaction after a sighting. */
export type Verdict = {
  transaction_status: string
  failure_reason: string | null
  /** Whose tokens were paid; until that is known, and for anything but a payment, who sent the transaction. */
  from: string
  to: string
  /** Who sent the transaction. */
  sender: string
  /** Of its block; null while there is none. */
  block_timestamp: string | null
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
export function decideVerdict(known: Known, sighting: Sighting, rules: Rules): Verdict {
  switch (sighting.kind) {
    case 'in a block':
      return verdictInBlock(known, sighting, rules)
    case 'waiting':
      return {
        ...pendingVerdict(known),
        ...partiesOf(known, sighting),
        from: known.from || sighting.sender,
        nonce: sighting.nonce,
        is_known: true,
      }
    case 'replaced':
      return { ...pendingVerdict(known), ...failedStatus('replaced'), is_final: sighting.isFinal }
    case 'nowhere':
      return isGivenUp(known, sighting.asOf, rules)
        ? {
            ...pendingVerdict(known),
            ...failedStatus(known.seen_at ? 'dropped' : 'not_found'),
            is_final: true,
          }
        : pendingVerdict(known)
    case 'unclear':
      return unchangedVerdict(known)
  }
}

type Included = Extract<Sighting, { kind: 'in a block' }>

function verdictInBlock(known: Known, sighting: Included, { chain }: Rules): Verdict {
  const { mismatch, from } = compareWithEntered(known, sighting, chain.tokens)
  return {
    ...(mismatch ? failedStatus(mismatch) : { transaction_status: 'mined', failure_reason: null }),
    ...partiesOf(known, sighting),
    from,
    block_timestamp: sighting.block.time.toISOString(),
    nonce: sighting.nonce,
    block_number: String(sighting.block.number),
    block_hash: sighting.block.hash,
    is_final: sighting.isFinal,
    is_known: true,
  }
}

type Parties = { sender: string; receiver: string }

/** The receiver of a payment is the one that was entered; the transaction itself goes to the token's contract. */
function partiesOf({ type, to }: Known, { sender, receiver }: Parties) {
  return { sender, to: type === 'payment' ? to : receiver }
}

function failedStatus(reason: string) {
  return { transaction_status: 'failed', failure_reason: reason }
}

function pendingVerdict({ from, to, sender, nonce = null }: Known): Verdict {
  return {
    transaction_status: 'pending',
    failure_reason: null,
    from,
    to,
    sender,
    block_timestamp: null,
    nonce,
    block_number: null,
    block_hash: null,
    is_final: false,
    is_known: false,
  }
}

function unchangedVerdict(known: Known): Verdict {
  const { transaction_status, failure_reason = null, from, to, sender } = known
  const { block_timestamp = null, nonce = null, block_number = null, block_hash = null } = known
  return {
    transaction_status,
    failure_reason,
    from,
    to,
    sender,
    block_timestamp,
    nonce,
    block_number,
    block_hash,
    is_final: false,
    is_known: false,
  }
}

/** On both clocks: a chain that is not read up to now tells nothing of now, and a chain's clock may be ahead of ours. */
function isGivenUp({ seen_at, created_at }: Known, asOf: Date, { now, giveUpMs }: Rules): boolean {
  return Math.min(now, asOf.getTime()) - Date.parse(seen_at ?? created_at) > giveUpMs
}
