/** The sentence for each reason of docs/payments.md. */
const WORDS = new Map([
  ['reverted', 'The transaction failed on the chain.'],
  ['unknown_token', 'This platform does not know this token on this chain.'],
  ['no_such_transfer', 'The transaction paid less, in another token, or to another address.'],
  ['wrong_sender', 'The payment came from an unexpected wallet.'],
  ['too_early', 'The payment was made too early.'],
  ['already_used', 'Another payment of your team already uses this transaction.'],
  ['replaced', 'The payer replaced this transaction with another transaction.'],
  ['dropped', 'The chain dropped the transaction.'],
  ['not_found', 'The transaction did not appear on the chain in time, usually a day.'],
])

/** Explains why a payment failed. Returns an unknown reason unchanged. */
export function failureInWords(reason: string): string {
  return WORDS.get(reason) ?? reason
}
