import type { Sighting, TransactionSearch } from './chain-reader.ts'
import type { Chain } from './chains.ts'
import { compareWithEntered, type EnteredTransaction } from './payment-mismatch.ts'

/** A row of the table of transactions. */
export type StoredTransaction = TransactionSearch &
  EnteredTransaction & {
    transaction_status: string
    failure_reason?: string | null
    from: string
    block_timestamp?: string | null
    seen_at?: string | null
    entered_at: string
  }

/** The values that are stored about a transaction after the chain was read. */
export type Verdict = {
  transaction_status: string
  failure_reason: string | null
  /** The address that paid the tokens. If no such payment has been found, the sender of the transaction. */
  from: string
  to: string
  sender: string
  /** The time of the transaction's block; null while no block contains the transaction. */
  block_timestamp: string | null
  nonce: string | null
  block_number: string | null
  block_hash: string | null
  is_final: boolean
  /** True if the sighting shows that the chain knows the transaction. */
  is_known: boolean
}

type VerdictRules = {
  chain: Chain
  /** Milliseconds since the epoch. */
  now: number
  /** How long a transaction may be unknown to the chain before it counts as failed. */
  giveUpMs: number
}

/**
 * Decides the status after a sighting (spec 3). If a block contains the transaction, the status is `mined` or `failed`,
 * and it becomes final once the block is deep enough. If the chain drops the block, the status is `pending` again. A
 * transaction has also failed if another transaction replaced it, or if its chain has not known it for `giveUpMs`. An
 * `unclear` sighting does not change the status.
 */
export function decideVerdict(
  row: StoredTransaction,
  sighting: Sighting,
  rules: VerdictRules,
): Verdict {
  switch (sighting.kind) {
    case 'in a block':
      return verdictInBlock(row, sighting, rules)
    case 'waiting':
      return {
        ...pendingVerdict(row),
        ...partiesOf(row, sighting),
        from: row.from || sighting.sender,
        nonce: sighting.nonce,
        is_known: true,
      }
    case 'replaced':
      return { ...pendingVerdict(row), ...failedStatus('replaced'), is_final: sighting.isFinal }
    case 'nowhere':
      return isGivenUp(row, sighting.blockTime, rules)
        ? {
            ...pendingVerdict(row),
            ...failedStatus(row.seen_at ? 'dropped' : 'not_found'),
            is_final: true,
          }
        : pendingVerdict(row)
    case 'unclear':
      return unchangedVerdict(row)
  }
}

type BlockSighting = Extract<Sighting, { kind: 'in a block' }>

function verdictInBlock(
  row: StoredTransaction,
  sighting: BlockSighting,
  { chain }: VerdictRules,
): Verdict {
  const { mismatch, from } = compareWithEntered(row, sighting, chain.tokens)
  return {
    ...(mismatch ? failedStatus(mismatch) : { transaction_status: 'mined', failure_reason: null }),
    ...partiesOf(row, sighting),
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

/** Keeps the entered receiver of a payment, since the transaction of a payment goes to the token's or a wallet's contract. */
function partiesOf({ type, to }: StoredTransaction, { sender, receiver }: Parties) {
  return { sender, to: type === 'payment' ? to : receiver }
}

function failedStatus(reason: string) {
  return { transaction_status: 'failed', failure_reason: reason }
}

function pendingVerdict({ from, to, sender, nonce = null }: StoredTransaction): Verdict {
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

function unchangedVerdict(row: StoredTransaction): Verdict {
  const { transaction_status, failure_reason = null, from, to, sender } = row
  const { block_timestamp = null, nonce = null, block_number = null, block_hash = null } = row
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

/**
 * True if the chain has not known the transaction for `giveUpMs`. The present is the earlier of two times: our clock's,
 * since the chain's clock may be ahead, and the newest block's, since the chain's server may be behind.
 */
function isGivenUp(
  { seen_at, entered_at }: StoredTransaction,
  blockTime: Date,
  { now, giveUpMs }: VerdictRules,
): boolean {
  return Math.min(now, blockTime.getTime()) - Date.parse(seen_at ?? entered_at) > giveUpMs
}
