import { toEventSelector } from 'viem'
import { type Token, toTokenUnits } from './chains.ts'

/** The transaction that an app entered, as in its row. */
export type EnteredTransaction = {
  type: string
  token: string
  token_amount: string
  to: string
  /** The address that must have paid the tokens, or sent another transaction, in lower case; null for any address. */
  expected_from?: string | null
  /** The earliest time of the transaction's block. */
  not_before?: string | null
}

/** An event (log entry) of a transaction, as JSON-RPC returns it, in lower case. */
export type Event = { address: string; topics: string[]; data: string }

/** The outcome of a transaction in a block. `time` is the time of the block. */
export type Outcome = {
  sender: string
  time: Date
  succeeded: boolean
  events: readonly Event[]
}

/** The reason why a transaction does not match the entered one. */
export type Mismatch =
  | 'reverted'
  | 'unknown_token'
  | 'no_such_transfer'
  | 'wrong_sender'
  | 'too_early'

type Comparison = {
  /** Null for a match. */
  mismatch: Mismatch | null
  /** The address that paid the tokens. Without a payment, the sender of the transaction. */
  from: string
}

/**
 * Compares the outcome of a transaction with the transaction that the app entered. The transaction must have succeeded.
 * A payment must include one Transfer of the token to the entered address, of at least the amount. If the app expects a
 * payer, the tokens must come from the payer's address. The transaction's sender may be another address: if the payer's
 * wallet is a contract, another account sends the transaction. For a transaction that is no payment, the expected address
 * must be the sender.
 */
export function compareWithEntered(
  entered: EnteredTransaction,
  outcome: Outcome,
  tokens: Readonly<Record<string, Token>>,
): Comparison {
  const { sender, time, succeeded } = outcome
  if (!succeeded) return { mismatch: 'reverted', from: sender }
  if (entered.type !== 'payment') return compareOrigin(entered, { from: sender, time })
  const token = Object.hasOwn(tokens, entered.token) ? tokens[entered.token] : undefined
  if (!token) return { mismatch: 'unknown_token', from: sender }
  const payers = findPayers(entered, outcome, token)
  const from = payers.find((payer) => payer === entered.expected_from) ?? payers[0]
  if (!from) return { mismatch: 'no_such_transfer', from: sender }
  return compareOrigin(entered, { from, time })
}

/** Finds the addresses that paid the receiver enough in one Transfer. */
function findPayers(
  { token_amount, to }: EnteredTransaction,
  { events }: Outcome,
  token: Token,
): string[] {
  const price = toTokenUnits(token_amount, token)
  return events
    .flatMap((event) => readTransfer(token, event))
    .filter((transfer) => transfer.to === to.toLowerCase() && transfer.value >= price)
    .map(({ from }) => from)
}

function compareOrigin(
  { expected_from, not_before }: EnteredTransaction,
  { from, time }: { from: string; time: Date },
): Comparison {
  if (expected_from && from !== expected_from) return { mismatch: 'wrong_sender', from }
  const isTooEarly = not_before && toSeconds(time) < toSeconds(new Date(not_before))
  return { mismatch: isTooEarly ? 'too_early' : null, from }
}

/** Returns a time in whole seconds, because the times of blocks have no fractions. */
function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000)
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')

/** Reads a Transfer event of the token. Any contract can emit such events, so events of other contracts do not count. */
function readTransfer(token: Token, { address, topics, data }: Event) {
  const [event, sender, receiver] = topics
  const isTransfer = event === TRANSFER && topics.length === 3 && /^0x[0-9a-f]{64}$/.test(data)
  if (!sender || !receiver || !isTransfer || address !== token.address.toLowerCase()) return []
  return [{ from: addressIn(sender), to: addressIn(receiver), value: BigInt(data) }]
}

/** Returns the address in a topic of 32 bytes. */
function addressIn(topic: string): string {
  return `0x${topic.slice(-40)}`
}
