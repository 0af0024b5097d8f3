import { toEventSelector } from 'viem'
import { type Token, toTokenUnits } from './chains.ts'

/** What an app says was sent, as its row has it. */
export type Entered = { type: string; token: string; token_amount: string; to: string }

/** An event (log entry) of a transaction, as JSON-RPC gives it, in lower case. */
export type Event = { address: string; topics: string[]; data: string }

/** What a transaction did: whether it succeeded, and the events that it emitted. */
export type Outcome = { succeeded: boolean; events: readonly Event[] }

/** Why a transaction is not what was entered. */
export type Mismatch = 'reverted' | 'unknown_token' | 'no_such_transfer'

/**
 * Compares what a transaction did with what an app entered: it must have succeeded, and a payment must
 * include one Transfer of that token to that address, of at least that amount.
 *
 * @returns null when they match
 */
export function findMismatch(
  { type, token: code, token_amount, to }: Entered,
  { succeeded, events }: Outcome,
  tokens: Readonly<Record<string, Token>>,
): Mismatch | null {
  if (!succeeded) return 'reverted'
  if (type !== 'payment') return null
  const token = Object.hasOwn(tokens, code) ? tokens[code] : undefined
  if (!token) return 'unknown_token'
  const least = toTokenUnits(token_amount, token)
  const isPaid = events
    .flatMap((event) => readTransfer(token, event))
    .some((transfer) => transfer.to === to.toLowerCase() && transfer.value >= least)
  return isPaid ? null : 'no_such_transfer'
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')

/** Any contract can emit events of this form: only those of the token itself count. */
function readTransfer(token: Token, { address, topics, data }: Event) {
  const [event, , receiver] = topics
  const isTransfer = event === TRANSFER && topics.length === 3 && /^0x[0-9a-f]{64}$/.test(data)
  if (!receiver || !isTransfer || address !== token.address.toLowerCase()) return []
  return [{ to: `0x${receiver.slice(-40)}`, value: BigInt(data) }]
}
