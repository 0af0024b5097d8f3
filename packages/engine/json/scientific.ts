import { Digits } from '../../../lib/runtime/exact-json.ts'

/**
 * Parses JSON for output. Numbers with a fraction get the notation in which Hasura writes them: `1.50` becomes `1.5`,
 * `1.00` becomes `1.0`, and `12345678.9` becomes `1.23456789e7`. No significant digit is lost.
 *
 * @throws SyntaxError
 */
export function parseScientificJson(text: string): unknown {
  return NUMBER_TO_KEEP.test(text) ? JSON.parse(text, readNumber) : JSON.parse(text)
}

/** Matches a fraction, an exponent, or 16 digits, which a JavaScript number may not hold exactly. */
const NUMBER_TO_KEEP = /\d[.eE]|\d{16}/

function readNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined) return value
  const text = scientificText(source)
  return String(value) === text ? value : new Digits(text)
}

/** Returns a number of JSON in Hasura's notation. */
function scientificText(source: string): string {
  const [, sign = '', integerDigits = '', fraction = '', power = '0'] = NUMBER.exec(source) ?? []
  const exponent = Number(power) - fraction.length
  const digits = `${integerDigits}${fraction}`.replace(/^0+/, '')
  if (exponent >= 0)
    return exponent > MAX_ZEROS
      ? source
      : `${sign}${digits === '' ? '0' : digits.padEnd(digits.length + exponent, '0')}`
  if (digits === '') return '0.0'
  // The number of digits before the decimal point.
  const point = digits.length + exponent
  const significant = digits.replace(/0+$/, '')
  if (point > 0 && point <= 7) {
    const padded = significant.padEnd(point, '0')
    return `${sign}${padded.slice(0, point)}.${padded.slice(point) || '0'}`
  }
  if (point === 0) return `${sign}0.${significant}`
  return `${sign}${significant.slice(0, 1)}.${significant.slice(1) || '0'}e${point - 1}`
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The largest exponent that is written as zeros. A number with a larger exponent keeps its exponent, as in Hasura. */
const MAX_ZEROS = 1024
