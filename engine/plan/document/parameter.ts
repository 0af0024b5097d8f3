import { Kind, type ValueNode, visit } from 'graphql/language/index.js'
import { isNumeral, type Numeral } from '../../../lib/exact-json.ts'
import { EngineError } from '../../errors.ts'
import type { Parameter, Scalar } from '../../ir/ir.ts'
import { aesonKind, wrongKindMessage } from '../../json/aeson-wording.ts'
import { integerText, moneyText, scientificText } from '../../json/decimal.ts'
import { ownValue } from '../../json/own-value.ts'
import type { Column } from '../../model/model.ts'
import type { PgType } from '../../postgres/catalog.ts'
import { type Accepts, builtInType, scalarOf } from '../../postgres/scalars.ts'
import { elementType, encodeValue, isJsonType } from '../../postgres/values.ts'
import { type EnumType, namedType, type TypeRef } from '../../schema/graphql-types.ts'
import { type Planner, validationError } from '../planner.ts'
import type { Variables } from './decision.ts'
import {
  constantValue,
  describeInput,
  describeValue,
  enumValueMessage,
  type Input,
  isGiven,
  listItems,
  literalValue,
  nullableType,
  variableValue,
} from './input.ts'

/**
 * A value that the plan does not depend on:
 * it is read and checked for each run, and sent to Postgres as text.
 */
export function planParameter(
  planner: Planner,
  input: Input,
  type: PgType,
  check = valueCheck(input, type),
): Parameter {
  const convert = (value: unknown) => encodeValue(type, check(value))
  if (input.kind === 'absent') return { type, read: () => null }
  if (input.kind === 'variable') {
    if (!isGiven(planner, input)) return { type, read: () => null }
    return { type, read: ({ variables }) => convert(variableValue(input, variables)) }
  }
  refuseWrongLiteral(planner, input)
  const { node } = input
  if (hasVariables(node))
    return { type, read: ({ variables }) => convert(literalValue(node, variables)) }
  const text = convert(literalValue(node, {}))
  return { type, read: () => text }
}

/** A value as an expression; it may be null. */
export function nullableScalar(planner: Planner, input: Input, type: PgType): Scalar {
  return { kind: 'parameter', parameter: planParameter(planner, input, type) }
}

/**
 * A value to compare with, which must not be null.
 *
 * @throws validation-failed
 */
export function comparand(planner: Planner, input: Input, type: PgType): Scalar {
  if (!isGiven(planner, input)) throw unexpectedNull(input.type, input.path)
  return nullableScalar(planner, input, type)
}

/**
 * A list to compare with; neither it nor an item of it may be null.
 *
 * @throws validation-failed
 */
export function listComparand(planner: Planner, input: Input, type: PgType): Scalar {
  if (!isGiven(planner, input)) throw validationError(input.path, 'expected a list, but found null')
  if (input.kind === 'literal')
    for (const item of listItems(planner, input)) refuseWrongLiteral(planner, item)
  const itemType = namedType(input.type)
  const checkItem = (item: unknown, i: number) => {
    const path = `${input.path}[${i}]`
    if (item === null) throw unexpectedNull(input.type, path)
    return valueCheck({ type: itemType, path }, elementType(type))(item)
  }
  const check = (value: unknown) => (Array.isArray(value) ? value : [value]).map(checkItem)
  return { kind: 'parameter', parameter: planParameter(planner, input, type, check) }
}

function unexpectedNull(type: TypeRef, path: string): EngineError {
  const named = namedType(type)
  if (named.kind === 'enum') return notAnEnumValue(named, 'null', path)
  return validationError(path, `unexpected null value for type '${named.name}'`)
}

/** A value to store in a column; null only if the column is nullable. */
export function storedScalar(planner: Planner, input: Input, { type, nullable }: Column): Scalar {
  return nullable ? nullableScalar(planner, input, type) : comparand(planner, input, type)
}

/** A boolean that the plan depends on; `otherwise` if it is not given. */
export function readFlag(planner: Planner, input: Input, otherwise?: boolean): boolean {
  if (otherwise !== undefined && input.kind === 'absent') return otherwise
  const value = constantValue(planner, input)
  if (typeof value === 'boolean') return value
  throw validationError(
    input.path,
    `expected a boolean for type 'Boolean', but found ${describeInput(planner, input)}`,
  )
}

/** The argument `limit`: Postgres takes it as bigint, GraphQL as a 32-bit Int. */
export function planLimit(planner: Planner, input: Input): Scalar | null {
  return planRowCount(planner, input, (value, fault) => {
    if (!isNumeral(value) || Number(value) < 0)
      throw fault("expected a non-negative 32-bit integer for type 'Int'")
    return wholeText(value, 32, input.path)
  })
}

/** The argument `offset`, which may also be the text of a bigint. */
export function planOffset(planner: Planner, input: Input): Scalar | null {
  return planRowCount(planner, input, (value, fault) => {
    if (typeof value === 'string' && /^\d+$/.test(value)) return value
    if (isNumeral(value)) return wholeText(value, 64, input.path)
    throw fault(
      "expected a 32-bit integer, or a 64-bit integer represented as a string for type 'Int'",
    )
  })
}

type Count = (value: unknown, fault: (expected: string) => EngineError) => string

function planRowCount(planner: Planner, input: Input, count: Count): Scalar | null {
  if (!isGiven(planner, input)) return null
  const type = builtInType('int8')
  const fault = (found: string) => (expected: string) =>
    validationError(input.path, `${expected}, but found ${found}`)
  if (input.kind === 'variable') {
    const read = (variables: Variables) => {
      const value = variableValue(input, variables)
      return count(value, fault(describeValue(value)))
    }
    return { kind: 'parameter', parameter: { type, read: ({ variables }) => read(variables) } }
  }
  const value = constantValue(planner, input)
  const isFloat = input.kind === 'literal' && input.node.kind === Kind.FLOAT
  const text = count(isFloat ? null : value, fault(describeInput(planner, input)))
  return { kind: 'whole', value: BigInt(text) }
}

function wholeText(value: Numeral, bits: 16 | 32 | 64, path: string): string {
  const text = integerText(value, bits)
  if (text === null) throw new EngineError('parse-failed', notWholeMessage(value), { path })
  return text
}

function notWholeMessage(value: Numeral): string {
  return `The value ${scientificText(value)} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`
}

/** The check for the values of a place: against an enum's names, or against the type. */
function valueCheck(
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

const NAME = /^[_a-zA-Z]\w*$/

function notAnEnumValue({ name }: EnumType, found: string, path: string): EngineError {
  return validationError(path, `expected an enum value for type '${name}', but found ${found}`)
}

/** Checks a value: an array may be a list, or text in Postgres' notation. */
function checkValue(type: PgType, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return null
  if (isJsonType(type) && type.element === null) return value
  if (type.element === null) return acceptedValue(type, value, path)
  if (Array.isArray(value)) return value.map((item) => checkValue(elementType(type), item, path))
  if (typeof value === 'string') return value
  throw new EngineError('parse-failed', wrongKindMessage('[]', 'Array', value), { path })
}

function acceptedValue(type: PgType, value: unknown, path: string): unknown {
  const { accepts } = scalarOf(type)
  // Nearly any type accepts text, which Postgres parses.
  if (typeof value === 'string' && accepts !== 'labels') return value
  const taken = TAKES[accepts](value)
  if (taken !== null) return taken
  throw new EngineError('parse-failed', valueFault(type, value), { path })
}

/**
 * By kind of type: what is sent to Postgres for a value that is not text;
 * null if the type does not accept it.
 */
const TAKES: Readonly<Record<Accepts, (value: unknown) => unknown>> = {
  int16: numberOnly((value) => integerText(value, 16)),
  int32: numberOnly((value) => integerText(value, 32)),
  int64: numberOnly((value) => integerText(value, 64)),
  float32: numberOnly((value) =>
    fitsFloat(value, Math.fround(Number(value))) ? String(value) : null,
  ),
  float64: numberOnly((value) => (fitsFloat(value, Number(value)) ? String(value) : null)),
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

/** Whether a float represents the number: it must not have become infinite, nor zero. */
function fitsFloat(value: Numeral, float: number): boolean {
  return Number.isFinite(float) && (float !== 0 || /^[-0.]*(e|$)/i.test(String(value)))
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

/** An enum's value is written without quotes. */
function refuseWrongLiteral(planner: Planner, input: Input): void {
  if (input.kind !== 'literal') return
  const type = nullableType(input.type)
  if (type.kind === 'enum' && input.node.kind !== Kind.ENUM && input.node.kind !== Kind.NULL)
    throw notAnEnumValue(type, describeInput(planner, input), input.path)
}

function hasVariables(node: ValueNode): boolean {
  const seen = { any: false }
  visit(node, {
    Variable() {
      seen.any = true
    },
  })
  return seen.any
}
