import { parse } from 'lossless-json'

declare global {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface adds to the one that there is
  interface JSON {
    /** Makes `JSON.stringify` write exactly this text for a number. */
    rawJSON(text: string): object
  }
}

/**
 * Parses JSON as Hasura does: of a key that occurs twice in an object, the first counts (`JSON.parse` takes the last);
 * and a number that a JavaScript number cannot hold exactly becomes `Digits`, which `JSON.stringify` writes with the
 * digits that were read. Other texts are parsed almost as fast as by `JSON.parse`.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text)
  return countColons(text) > countKeys(value) ? parseFirstKeys(text) : value
}

/** Each key is followed by a colon, and so are some quotes within texts. */
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

/** Whether an object in the JSON has a key twice with different values, of which programs choose differently. @throws SyntaxError */
export function hasContradictingKeys(text: string): boolean {
  if (countColons(text) <= countKeys(JSON.parse(text))) return false
  let found = false
  parseFirstKeys(text, () => {
    found = true
  })
  return found
}

function parseFirstKeys(text: string, onContradiction = () => {}): unknown {
  const onDuplicateKey = ({ oldValue }: { oldValue: unknown }) => {
    onContradiction()
    return oldValue
  }
  try {
    return parse(text, null, { parseNumber: numeral, onDuplicateKey })
  } catch (cause) {
    // The library calls itself for what is nested, until the stack is full.
    throw cause instanceof RangeError ? new SyntaxError('nested too deeply', { cause }) : cause
  }
}

/** Sixteen digits in a row, or an exponent of three: only then may a double lose something. */
const LONG_NUMBER = /[\d.]{16}|\d[eE][+-]?\d{3}/

function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' && source !== undefined ? numeral(source) : value
}

/**
 * A number with the digits that it was written with, where
 * JavaScript would write others: a long one, or `1.0`.
 */
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

/** A number of JSON or GraphQL. */
export type Numeral = number | Digits

/** Reads a number; its digits are kept where JavaScript would write others. */
export function numeral(text: string): Numeral {
  const value = Number(text)
  return String(value) === text ? value : new Digits(text)
}

/** Whether a value is a number of JSON. */
export function isNumeral(value: unknown): value is Numeral {
  return typeof value === 'number' || value instanceof Digits
}
