import type { Numeral } from '../../../lib/runtime/exact-json.ts'

/** A number as its significant digits and an exponent: 0.`digits` × 10^`point`. */
type Decimal = { negative: boolean; digits: string; point: number }

function splitDecimal(value: Numeral): Decimal {
  const [, sign, integerDigits = '', part = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(String(value)) ?? []
  const all = `${integerDigits}${part}`
  const digits = all.replace(/^0+/, '').replace(/0+$/, '')
  const point =
    integerDigits.length + Number(exponent) - (all.length - all.replace(/^0+/, '').length)
  return { negative: sign === '-', digits, point: digits === '' ? 0 : point }
}

/**
 * Returns the number in Hasura's notation for messages and for `numeric` columns: `1.0`, `12345.67`, `1.0e-30`.
 * PostgreSQL stores a `numeric` with exactly the decimal places of this text.
 */
export function scientificText(value: Numeral): string {
  const { negative, digits, point } = splitDecimal(value)
  const sign = negative && digits !== '' ? '-' : ''
  if (digits === '') return '0.0'
  if (point < 0 || point > 7) return `${sign}${digits[0]}.${digits.slice(1) || '0'}e${point - 1}`
  const integerDigits = digits.slice(0, point).padEnd(point, '0') || '0'
  return `${sign}${integerDigits}.${digits.slice(point) || '0'}`
}

/** Compares two numbers by all of their digits: negative if `left` is less, 0 if they are equal. */
export function compareNumerals(left: Numeral, right: Numeral): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  const [a, b] = [splitDecimal(left), splitDecimal(right)]
  const [signA, signB] = [signOf(a), signOf(b)]
  if (signA !== signB || signA === 0) return signA - signB
  if (a.point !== b.point) return (a.point - b.point) * signA
  return (a.digits < b.digits ? -1 : Number(a.digits > b.digits)) * signA
}

function signOf({ negative, digits }: Decimal): number {
  if (digits === '') return 0
  return negative ? -1 : 1
}

/** Returns a whole number as text; null for a number with decimals or with more than `bits` bits. */
export function integerText(value: Numeral, bits: 16 | 32 | 64): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value))
    return value < 2 ** (bits - 1) && value >= -(2 ** (bits - 1)) ? String(value) : null
  const { negative, digits, point } = splitDecimal(value)
  if (digits.length > point || point > 19) return digits === '' ? '0' : null
  const integerDigits = BigInt(digits.padEnd(point, '0') || '0') * (negative ? -1n : 1n)
  return BigInt.asIntN(bits, integerDigits) === integerDigits ? String(integerDigits) : null
}

/**
 * Returns a number as PostgreSQL's `money` reads it: two decimals (halves away from zero), no exponent; null if too
 * large.
 */
export function moneyText(value: Numeral): string | null {
  const { negative, digits, point } = splitDecimal(value)
  if (point > 20) return null
  const scaled = digits.padEnd(point + 3, '0').slice(0, Math.max(point + 3, 0))
  const thousandths = BigInt(point + 3 < 0 ? '0' : scaled.padStart(3, '0') || '0')
  const rounded = String((thousandths + 5n) / 10n).padStart(3, '0')
  return `${negative ? '-' : ''}${rounded.slice(0, -2)}.${rounded.slice(-2)}`
}
