import { isNumeral, type Numeral } from '../../../lib/exact-json.ts'
import { EngineError } from '../../errors.ts'
import { aesonKind, wrongKindMessage } from '../../json/aeson-wording.ts'
import { integerText, moneyText, scientificText } from '../../json/decimal.ts'
import { ownValue } from '../../json/own-value.ts'
import { isList } from '../../json/record.ts'
import type { PgType } from '../../postgres/catalog.ts'
import { type Accepts, scalarOf } from '../../postgres/scalars.ts'
import { elementType, isJsonType } from '../../postgres/values.ts'
import type { EnumType, TypeRef } from '../../schema/graphql-types.ts'
import { validationError } from '../planner.ts'
import { describeValue, enumValueMessage } from './describe-value.ts'
import { NAME, nullableType } from './input.ts'

/** The check for the values of a place: against an enum's names, or against the type. */
export function valueCheck(
  { type: ref, path }: { type: TypeRef; path: string },
  type: PgType,
): (value: unknown) => unknown {
  const place = nullableType(ref)
  if (place.kind === 'enum') return (value) => checkEnumName(place, value, path)
  return (value) => checkValue(type, value, path)
}

function checkEnumName(type: EnumType, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return null
  if (typeof value !== 'string' || !NAME.test(value))
    throw notAnEnumValue(type, describeValue(value), path)
  if (type.values.some(({ name }) => name === value)) return value
  throw validationError(path, enumValueMessage(type, value))
}

/** The error for a value that an enum does not have. */
export function notAnEnumValue({ name }: EnumType, found: string, path: string): EngineError {
  return validationError(path, `expected an enum value for type '${name}', but found ${found}`)
}

/** Checks a value: an array may be a list, or text in PostgreSQL's notation. */
function checkValue(type: PgType, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return null
  if (isJsonType(type) && type.element === null) return value
  if (type.element === null) return acceptedValue(type, value, path)
  if (isList(value)) return value.map((item) => checkValue(elementType(type), item, path))
  if (typeof value === 'string') return value
  throw new EngineError('parse-failed', wrongKindMessage('[]', 'Array', value), { path })
}

function acceptedValue(type: PgType, value: unknown, path: string): unknown {
  const { accepts } = scalarOf(type)
  // Nearly any type accepts text, which PostgreSQL parses.
  if (typeof value === 'string' && accepts !== 'labels') return value
  const taken = TAKES[accepts](value)
  if (taken !== null) return taken
  throw new EngineError('parse-failed', valueFault(type, value), { path })
}

/**
 * By kind of type: what is sent to PostgreSQL for a value that is not text;
 * null if the type does not accept it.
 */
const TAKES: Readonly<Record<Accepts, (value: unknown) => unknown>> = {
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
}

function numberOnly(take: (value: Numeral) => string | null): (value: unknown) => string | null {
  return (value) => (isNumeral(value) ? take(value) : null)
}

/** The number as it is written; one that is too large or too small for a float, as Hasura does: infinite, or zero. */
function floatText(value: Numeral, float: number): string {
  return Number.isFinite(float) && float !== 0 ? String(value) : String(float)
}

function valueFault(type: PgType, value: unknown): string {
  const { accepts, name } = scalarOf(type)
  if (accepts === 'labels')
    return 'Expecting label path: a sequence of zero or more labels separated by dots, for example L1.L2.L3'
  if (accepts === 'boolean') return `expected Bool, but encountered ${aesonKind(value)}`
  if (name === 'timetz') return 'Expecting a string for timetz'
  const read = ownValue(READ, name)
  if (!read) return `A string is expected for type: ${type.kind === 'c' ? type.name : name}`
  const [readAs, kind] = read
  if (kind === 'String' || !isNumeral(value)) return wrongKindMessage(readAs, kind, value)
  if (accepts.startsWith('int')) return notWholeMessage(value)
  return `The value ${scientificText(value)} lies outside the bounds. Is it overflowing the float bounds?`
}

/** Hasura's message about a number that is not an integer, or too large for its type. */
export function notWholeMessage(value: Numeral): string {
  return `The value ${scientificText(value)} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`
}

/** For messages: the type that Hasura reads for a scalar, and the kind of JSON that it expects. */
const READ: Readonly<Record<string, readonly [type: string, kind: 'String' | 'Number']>> = {
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
