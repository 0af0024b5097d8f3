import { toEventSelector } from 'viem'
import { type Token, toTokenUnits } from './chains.ts'

/** What an app says was sent, as its row has it. */
export type Entered = {
  type: string
  token: string
  token_amount: string
  to: string
  /** Whose tokens must have been paid, in lower case; null if anybody's may. */
  expected_from?: string | null
  /** Its block must not be older. */
  not_before?: string | null
}

/** An event (log entry) of a transaction, as JSON-RPC gives it, in lower case. */
export type Event = { address: string; topics: string[]; data: string }

/** What a transaction did: who sent it, when its block was made, whether it succeeded, and the events that it emitted. */
export type Outcome = {
  sender: string
  time: Date
  succeeded: boolean
  events: readonly Event[]
}

/** Why a transaction is not what was entered. */
export type Mismatch =
  | 'reverted'
  | 'unknown_token'
  | 'no_such_transfer'
  | 'wrong_sender'
  | 'too_early'

type Comparison = {
  /** Null when they match. */
  mismatch: Mismatch | null
  /** Whose tokens were paid. Of anything but a payment, and if nothing was paid, who sent the transaction. */
  from: string
}

/**
 * Compares what a transaction did with what an app entered: it must have succeeded, and a payment must
 * include one Transfer of that token to that address, of at least that amount. If the app expects a sender,
 * the tokens must have been theirs, whoever sent the transaction: wallets that are contracts leave that to others.
 */
export function compareWithEntered(
  entered: Entered,
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

/** Of everybody from whom the receiver got enough in one Transfer. */
function findPayers({ token_amount, to }: Entered, { events }: Outcome, token: Token): string[] {
  const least = toTokenUnits(token_amount, token)
  return events
    .flatMap((event) => readTransfer(token, event))
    .filter((transfer) => transfer.to === to.toLowerCase() && transfer.value >= least)
    .map(({ from }) => from)
}

function compareOrigin(
  { expected_from, not_before }: Entered,
  { from, time }: { from: string; time: Date },
): Comparison {
  if (expected_from && from !== expected_from) return { mismatch: 'wrong_sender', from }
  const isTooEarly = not_before && inSeconds(time) < inSeconds(new Date(not_before))
  return { mismatch: isTooEarly ? 'too_early' : null, from }
}

/** Whole ones: a chain tells no fractions. */
function inSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1_000)
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')

/** Any contract can emit events of this form: only those of the token itself count. */
function readTransfer(token: Token, { address, topics, data }: Event) {
  const [event, sender, receiver] = topics
  const isTransfer = event === TRANSFER && topics.length === 3 && /^0x[0-9a-f]{64}$/.test(data)
  if (!sender || !receiver || !isTransfer || address !== token.address.toLowerCase()) return []
  return [{ from: addressIn(sender), to: addressIn(receiver), value: BigInt(data) }]
}

/** The address in a topic of 32 bytes. */
function addressIn(topic: string): string {
  return `0x${topic.slice(-40)}`
}
