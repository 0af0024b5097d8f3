import { isNumeral, type Numeral } from '../../../lib/runtime/exact-json.ts'
import { aesonKind, wrongKindMessage } from '../json/aeson-wording.ts'
import { integerText, moneyText, scientificText } from '../json/decimal.ts'
import { ownValue } from '../json/own-value.ts'
import { isList } from '../json/record.ts'
import type { PgType } from './catalog.ts'
import { geoJsonFault } from './geojson.ts'
import { type Accepts, scalarOf } from './scalars.ts'
import { elementType, isJsonType } from './values.ts'

/** The error if a type does not accept a JSON value. Its message has Hasura's wording. */
export class UnacceptedValue extends Error {
  override readonly name = 'UnacceptedValue'
}

/**
 * Checks that a type accepts a JSON value, and converts the value so that it can be sent as a parameter. The value of
 * an array type may be a JSON list, or text in PostgreSQL's notation.
 *
 * @throws UnacceptedValue
 */
export function acceptedValue(type: PgType, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (isJsonType(type) && type.element === null) return value
  if (type.element === null) return acceptScalar(type, value)
  if (isList(value)) return value.map((item) => acceptedValue(elementType(type), item))
  if (typeof value === 'string') return value
  throw new UnacceptedValue(wrongKindMessage('[]', 'Array', value))
}

function acceptScalar(type: PgType, value: unknown): unknown {
  const { accepts } = scalarOf(type)
  // Nearly every type accepts text. PostgreSQL parses the text.
  if (typeof value === 'string' && !STRICT.has(accepts)) return value
  const converted = CONVERTERS[accepts](value)
  if (converted !== null) return converted
  throw new UnacceptedValue(valueFault(type, value))
}

/** The kinds of types for which the engine checks a text. For every other type, only PostgreSQL checks it. */
const STRICT: ReadonlySet<Accepts> = new Set(['labels', 'hexadecimal'])

/**
 * For each kind of type, the function that converts a value. It returns null if the type rejects the value. Text is
 * converted only for the kinds in STRICT.
 */
const CONVERTERS: Readonly<Record<Accepts, (value: unknown) => unknown>> = {
  int16: numberOnly((value) => integerText(value, 16)),
  int32: numberOnly((value) => integerText(value, 32)),
  int64: numberOnly((value) => integerText(value, 64)),
  float32: numberOnly((value) => floatText(value, Math.fround(Number(value)))),
  float64: numberOnly((value) => floatText(value, Number(value))),
  numeric: numberOnly(scientificText),
  money: numberOnly(moneyText),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  string: () => null,
  labels: (value) => (typeof value === 'string' && /^[^.]+(\.[^.]+)*$/.test(value) ? value : null),
  json: (value) => value,
  geojson: (value) => (geoJsonFault(value) === null ? value : null),
  hexadecimal: (value) => (typeof value === 'string' && HEXADECIMAL.test(value) ? value : null),
}

const HEXADECIMAL = /^([0-9a-f]{2})*$/i

function numberOnly(convert: (value: Numeral) => string | null): (value: unknown) => string | null {
  return (value) => (isNumeral(value) ? convert(value) : null)
}

/**
 * Returns the text of the number. A number too large for a float becomes infinite, and a number too small becomes zero,
 * as in Hasura.
 */
function floatText(value: Numeral, float: number): string {
  return Number.isFinite(float) && float !== 0 ? String(value) : String(float)
}

function valueFault(type: PgType, value: unknown): string {
  const { accepts, name } = scalarOf(type)
  if (accepts === 'labels')
    return 'Expecting label path: a sequence of zero or more labels separated by dots, for example L1.L2.L3'
  if (accepts === 'geojson') return geoJsonFault(value) ?? ''
  if (accepts === 'hexadecimal')
    return typeof value === 'string'
      ? `invalid hexadecimal representation of ${name} well known binary format`
      : `expecting String for ${name}`
  if (accepts === 'boolean') return `expected Bool, but encountered ${aesonKind(value)}`
  if (name === 'timetz') return 'Expecting a string for timetz'
  const haskellType = ownValue(HASKELL_TYPES, name)
  if (!haskellType) return `A string is expected for type: ${type.kind === 'c' ? type.name : name}`
  const [readAs, kind] = haskellType
  if (kind === 'String' || !isNumeral(value)) return wrongKindMessage(readAs, kind, value)
  if (accepts.startsWith('int')) return notWholeMessage(value)
  return `The value ${scientificText(value)} lies outside the bounds. Is it overflowing the float bounds?`
}

/** Returns Hasura's message about a number that is not an integer, or too large for its type. */
export function notWholeMessage(value: Numeral): string {
  return `The value ${scientificText(value)} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`
}

/**
 * For each scalar, the two parts of Hasura's message about a wrong value: the Haskell type that Hasura parses the value as, and
 * the kind of JSON value that this type requires.
 */
const HASKELL_TYPES: Readonly<Record<string, readonly [type: string, kind: 'String' | 'Number']>> =
  {
    smallint: ['Integer expected for input type: PGSmallInt', 'Number'],
    Int: ['Integer expected for input type: PGInteger', 'Number'],
    bigint: ['Integer expected for input type: PGBigInt', 'Number'],
    Float: ['Float expected for input type: PGFloat', 'Number'],
    float8: ['Float expected for input type: PGDouble', 'Number'],
    numeric: ['Scientific', 'Number'],
    money: ['Scientific', 'Number'],
    String: ['Text', 'String'],
    bpchar: ['Char', 'String'],
    citext: ['Text', 'String'],
    lquery: ['Text', 'String'],
    ltxtquery: ['Text', 'String'],
    date: ['Day', 'String'],
    timestamp: ['LocalTime', 'String'],
    timestamptz: ['UTCTime', 'String'],
    uuid: ['UUID', 'String'],
  }
