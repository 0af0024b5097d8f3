/** What is written for each reason of docs/payments.md. */
const WORDS = new Map([
  ['reverted', 'The transaction was carried out and failed.'],
  ['unknown_token', 'This platform knows no such token on this chain.'],
  ['no_such_transfer', 'It moved less, another token, or to another address.'],
  ['wrong_sender', 'Somebody else paid than was expected.'],
  ['too_early', 'It was made earlier than was allowed.'],
  ['already_used', 'Another payment of your team has the same transaction.'],
  ['replaced', 'The payer sent another transaction in its place.'],
  ['dropped', 'The chain has forgotten the transaction.'],
  ['not_found', 'The chain has not seen the transaction for a day.'],
])

/** Why a payment failed, for people; a reason that has no words yet stays as it is. */
export function failureInWords(reason: string): string {
  return WORDS.get(reason) ?? reason
}
