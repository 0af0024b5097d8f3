/** Decimals of `token_amount`, whatever the token's own are. */
const DECIMALS = 6

/** What the database holds at most. */
const MAX_DIGITS = 72

/**
 * The `token_amount` of an amount as people write it, such as 1.5. Digits only move, so nothing is rounded.
 *
 * @returns null for what is no amount, is zero, or is finer than 6 decimals
 */
export function parseAmount(written: string): string | null {
  const [, whole, fraction = ''] = /^([0-9]+)(?:\.([0-9]+))?$/.exec(written.trim()) ?? []
  const digits = fraction.replace(/0+$/, '')
  if (whole === undefined || digits.length > DECIMALS) return null
  const amount = (whole + digits.padEnd(DECIMALS, '0')).replace(/^0+/, '')
  return amount !== '' && amount.length <= MAX_DIGITS ? amount : null
}

/** A `token_amount` as people write it: what `parseAmount` takes. */
export function writeAmount(tokenAmount: string): string {
  const digits = tokenAmount.padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${digits.slice(0, -DECIMALS)}${fraction && `.${fraction}`}`
}
