import { toEventSelector } from 'viem'
import { type Token, toUnits } from './tokens.ts'

/** What an app says was sent. */
export type Entered = { type: string; token: string; token_amount: string; to: string }

/** An event that a transaction left, as JSON-RPC tells it, in lower case. */
export type Event = { address: string; topics: string[]; data: string }

/** What a transaction did: whether it went through, and the events that it left. */
export type Outcome = { succeeded: boolean; events: readonly Event[] }

/** Why a transaction is not what was entered. */
export type Mismatch = 'reverted' | 'unknown_token' | 'no_such_transfer'

/**
 * Holds what a transaction did against what an app entered: it must have gone through, and of a payment
 * there must be one Transfer of that token to that address, of that amount or more.
 *
 * @returns null when it is what was entered
 */
export function mismatch(
  { type, token: code, token_amount, to }: Entered,
  { succeeded, events }: Outcome,
  tokens: Readonly<Record<string, Token>>,
): Mismatch | null {
  if (!succeeded) return 'reverted'
  if (type !== 'payment') return null
  const token = Object.hasOwn(tokens, code) ? tokens[code] : undefined
  if (!token) return 'unknown_token'
  const least = toUnits(token_amount, token)
  const isPaid = events
    .flatMap((event) => transferOf(token, event))
    .some((transfer) => transfer.to === to.toLowerCase() && transfer.value >= least)
  return isPaid ? null : 'no_such_transfer'
}

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')

/** Anybody may write a contract that leaves events of this form: only the token's own count. */
function transferOf(token: Token, { address, topics, data }: Event) {
  const [event, , receiver] = topics
  const isTransfer = event === TRANSFER && topics.length === 3 && /^0x[0-9a-f]{64}$/.test(data)
  if (!receiver || !isTransfer || address !== token.address.toLowerCase()) return []
  return [{ to: `0x${receiver.slice(-40)}`, value: BigInt(data) }]
}
