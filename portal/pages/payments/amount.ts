/** The decimals of `token_amount`, for all tokens. */
const DECIMALS = 6

/** The maximum number of digits that the database stores. */
const MAX_DIGITS = 72

/**
 * Converts an amount such as 1.5 to a `token_amount`. Works on digits, so nothing is rounded.
 *
 * @returns null if the text is not an amount, is zero, or has more than 6 decimals
 */
export function parseAmount(text: string): string | null {
  const [, integerPart, fraction = ''] = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text.trim()) ?? []
  const digits = fraction.replace(/0+$/, '')
  if (integerPart === undefined || digits.length > DECIMALS) return null
  const amount = (integerPart + digits.padEnd(DECIMALS, '0')).replace(/^0+/, '')
  return amount !== '' && amount.length <= MAX_DIGITS ? amount : null
}

/** Writes a `token_amount` as a decimal number; the inverse of `parseAmount`. */
export function writeAmount(tokenAmount: string): string {
  const digits = tokenAmount.padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${digits.slice(0, -DECIMALS)}${fraction && `.${fraction}`}`
}
