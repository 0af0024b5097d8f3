import { parse } from 'lossless-json'

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can extend the global `JSON`
  interface JSON {
    /** Makes `JSON.stringify` write exactly this text for a number. */
    rawJSON(text: string): object
  }
}

/**
 * Parses JSON as Hasura does. The first of two equal keys wins (`JSON.parse` takes the last). A number that a
 * JavaScript number cannot hold exactly becomes `Digits`, which `JSON.stringify` writes with its original digits. Texts
 * without either are parsed almost as fast as by `JSON.parse`.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text)
  return countColons(text) > countKeys(value) ? parseFirstKeys(text) : value
}

/** Returns an upper bound of the number of keys: a quote and a colon end each key, but may also be inside a string. */
function countColons(text: string): number {
  let count = 0
  for (const _ of text.matchAll(/"\s*:/g)) count += 1
  return count
}

function countKeys(value: unknown): number {
  let count = 0
  const nested: unknown[] = [value]
  for (let at = nested.pop(); at !== undefined; at = nested.pop()) {
    if (typeof at !== 'object' || at === null || at instanceof Digits) continue
    if (!Array.isArray(at)) count += Object.keys(at).length
    const members: unknown[] = Object.values(at)
    for (const member of members) if (typeof member === 'object') nested.push(member)
  }
  return count
}

/**
 * True if an object in the JSON has a key twice with different values. Programs disagree about which value counts.
 *
 * @throws SyntaxError
 */
export function hasContradictingKeys(text: string): boolean {
  if (countColons(text) <= countKeys(JSON.parse(text))) return false
  let hasContradiction = false
  parseFirstKeys(text, () => {
    hasContradiction = true
  })
  return hasContradiction
}

function parseFirstKeys(text: string, onContradiction = () => {}): unknown {
  const onDuplicateKey = ({ oldValue }: { oldValue: unknown }) => {
    onContradiction()
    return oldValue
  }
  try {
    return parse(text, null, { parseNumber: parseNumeral, onDuplicateKey })
  } catch (cause) {
    // lossless-json recurses for each level of nesting, until the stack overflows.
    throw cause instanceof RangeError ? new SyntaxError('nested too deeply', { cause }) : cause
  }
}

/** A double may lose digits only of a number with sixteen digits, or with an exponent of three digits. */
const LONG_NUMBER = /[\d.]{16}|\d[eE][+-]?\d{3}/

function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' && source !== undefined ? parseNumeral(source) : value
}

/** A number with its original digits, if JavaScript would write other digits: a long number, or `1.0`. */
export class Digits {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): object {
    return JSON.rawJSON(this.text)
  }

  toString(): string {
    return this.text
  }
}

export type Numeral = number | Digits

/** Parses a number; keeps its digits if JavaScript would write other digits. */
export function parseNumeral(text: string): Numeral {
  const value = Number(text)
  return String(value) === text ? value : new Digits(text)
}

export function isNumeral(value: unknown): value is Numeral {
  return typeof value === 'number' || value instanceof Digits
}
