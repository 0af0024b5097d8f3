import { Kind, type ValueNode, visit } from 'graphql'
import type { PgType } from '../catalog.ts'
import { EngineError } from '../errors.ts'
import { type Accepts, builtIn, scalarOf } from '../scalars.ts'
import { type EnumType, typeText } from '../schema/types.ts'
import { elementOf, encode, isJson } from '../values.ts'
import {
  constant,
  found,
  type Input,
  isGiven,
  literal,
  nameOf,
  notOneOf,
  nullable,
  variableAt,
} from './input.ts'
import type { Parameter, Scalar } from './ir.ts'
import { invalid, type Planner } from './planner.ts'

/** A value that the plan need not know: read for each run, checked against its type, given to Postgres as text. */
export function parameter(planner: Planner, input: Input, type: PgType): Parameter {
  const check = checkFor(input, type)
  const convert = (value: unknown) => encode(type, check(value))
  if (input.from === 'nowhere') return { type, read: () => null }
  if (input.from === 'variable') {
    if (!isGiven(planner, input)) return { type, read: () => null }
    return { type, read: ({ variables }) => convert(variableAt(input, variables)) }
  }
  refuseWrongLiteral(planner, input)
  const { node } = input
  if (hasVariables(node))
    return { type, read: ({ variables }) => convert(literal(node, variables)) }
  const text = convert(literal(node, {}))
  return { type, read: () => text }
}

/** The same as an expression; null where null may be stored. */
export function nullableScalar(planner: Planner, input: Input, type: PgType): Scalar {
  return { kind: 'parameter', parameter: parameter(planner, input, type) }
}

/**
 * A value to compare with, which must not be null.
 *
 * @throws validation-failed
 */
export function comparand(planner: Planner, input: Input, type: PgType): Scalar {
  if (!isGiven(planner, input))
    throw invalid(input.path, `unexpected null value for type '${typeText(nullable(input.type))}'`)
  return nullableScalar(planner, input, type)
}

/** A flag that decides what the plan is. */
export function flag(planner: Planner, input: Input, otherwise: boolean): boolean {
  const value = constant(planner, input)
  if (value === undefined || value === null) return otherwise
  if (typeof value === 'boolean') return value
  throw invalid(
    input.path,
    `expected a boolean for type 'Boolean', but found ${found(planner, input)}`,
  )
}

/** The argument `limit`: Postgres takes it as bigint, GraphQL as a 32-bit Int. */
export function limitOf(planner: Planner, input: Input): Scalar | null {
  if (!isGiven(planner, input)) return null
  return counted(planner, input, (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_INT)
      return
    throw invalid(
      input.path,
      `expected a non-negative 32-bit integer for type 'Int', but found ${nameOf(value)}`,
    )
  })
}

/** The argument `offset`, which may also be the text of a bigint. */
export function offsetOf(planner: Planner, input: Input): Scalar | null {
  if (!isGiven(planner, input)) return null
  return counted(planner, input, (value) => {
    const isText = typeof value === 'string' && /^-?\d+$/.test(value)
    if (isText || (typeof value === 'number' && Number.isInteger(value))) return
    throw invalid(
      input.path,
      `expected a 32-bit integer for type 'Int', but found ${nameOf(value)}`,
    )
  })
}

const MAX_INT = 2 ** 31 - 1
const MIN_INT = -(2 ** 31)

function counted(planner: Planner, input: Input, check: (value: unknown) => void): Scalar {
  const type = builtIn('int8')
  const read = (value: unknown) => {
    check(value)
    return String(value)
  }
  if (input.from === 'variable')
    return {
      kind: 'parameter',
      parameter: { type, read: ({ variables }) => read(variableAt(input, variables)) },
    }
  const text = read(constant(planner, input))
  return { kind: 'parameter', parameter: { type, read: () => text } }
}

/** What checks the values of a place: an enum's names, or what the type takes. */
function checkFor(input: Input, type: PgType): (value: unknown) => unknown {
  const named = innermost(input)
  if (named) return (value) => checkNames(named, value, input.path)
  return (value) => checkValue(type, value, input.path)
}

function innermost(input: Input): EnumType | null {
  const type = nullable(input.type)
  const item = type.kind === 'list' ? nullable(type.of) : type
  return item.kind === 'enum' ? item : null
}

function checkNames(type: EnumType, value: unknown, path: string): unknown {
  if (Array.isArray(value)) return value.map((item, i) => checkNames(type, item, `${path}[${i}]`))
  if (value === null || type.values.some(({ name }) => name === value)) return value
  throw invalid(path, notOneOf(type, String(value)))
}

/** A list for an array, one item for a list of it, or text in Postgres' own notation. */
function checkValue(type: PgType, value: unknown, path: string): unknown {
  if (value === null || value === undefined) return null
  if (isJson(type) && type.element === null) return value
  if (type.element === null) return check(type, value, path)
  if (Array.isArray(value))
    return value.map((item, i) => checkValue(elementOf(type), item, `${path}[${i}]`))
  const isText = typeof value === 'string' && value.startsWith('{')
  return isText ? value : [checkValue(elementOf(type), value, path)]
}

function check(type: PgType, value: unknown, path: string): unknown {
  const { accepts, name } = scalarOf(type)
  // Any type can be written as text: Postgres parses it.
  if (typeof value === 'string') return value
  const fault = FAULTS[accepts](value)
  if (fault === null) return value
  throw new EngineError('parse-failed', fault.replace('%', name), { path })
}

/** What is wrong with a value that is not a text, by what its type accepts; `%` stands for the type. */
const FAULTS: Readonly<Record<Accepts, (value: unknown) => string | null>> = {
  int32: (value) => {
    if (typeof value !== 'number') return "expected a 32-bit integer for type '%'"
    if (Number.isInteger(value) && value >= MIN_INT && value <= MAX_INT) return null
    return `The value ${value} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`
  },
  integer: (value) => {
    if (typeof value !== 'number') return "expected an integer for type '%'"
    return Number.isInteger(value) ? null : `The value ${value} is not an integer`
  },
  number: (value) => (typeof value === 'number' ? null : "expected a number for type '%'"),
  boolean: (value) => (typeof value === 'boolean' ? null : "expected a boolean for type '%'"),
  string: () => 'A string is expected for type: %',
  json: () => null,
  any: () => null,
}

/** An enum's value is written without quotes. */
function refuseWrongLiteral(planner: Planner, input: Extract<Input, { from: 'literal' }>): void {
  const type = nullable(input.type)
  if (type.kind === 'enum' && input.node.kind !== Kind.ENUM && input.node.kind !== Kind.NULL)
    throw invalid(
      input.path,
      `expected an enum value for type '${type.name}', but found ${found(planner, input)}`,
    )
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
