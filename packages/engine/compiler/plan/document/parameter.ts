import { Kind, type ValueNode, visit } from 'graphql/language/index.js'
import { type EngineError, validationError } from '../../../errors.ts'
import { isList } from '../../../json/record.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import { comparisonType } from '../../../postgres/scalars.ts'
import { elementType, encodeValue } from '../../../postgres/values.ts'
import type { Parameter, Scalar } from '../../ir/ir.ts'
import type { Column } from '../../model/model.ts'
import { namedType, type TypeRef } from '../../schema/graphql-types.ts'
import type { Planner } from '../planner.ts'
import { describeInput } from './describe-input.ts'
import { constantValue, type Input, isPresent, nullableType, readItems } from './input.ts'
import { literalValue, variableValue } from './literal.ts'
import { notAnEnumValue, valueCheck } from './value-check.ts'

/**
 * Plans a value that PostgreSQL gets as text. For a variable, the plan depends only on whether the value is null, and
 * each run reads and checks the value. A literal without variables is checked once, during planning.
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
    if (!isPresent(planner, input)) return { type, read: () => null }
    return checkNow(planner, {
      type,
      read: ({ variables }) => convert(variableValue(input, variables)),
    })
  }
  refuseWrongLiteral(planner, input)
  const { node } = input
  if (hasVariables(node))
    return checkNow(planner, {
      type,
      read: ({ variables }) => convert(literalValue(node, variables)),
    })
  const text = convert(literalValue(node, {}))
  return { type, read: () => text }
}

type Bindings = Parameters<Parameter['read']>[0]

/** Reads the parameter once during planning, so that the first of several wrong values is reported. */
function checkNow(
  { variables }: Planner,
  { type, read }: { type: PgType; read(bindings: Pick<Bindings, 'variables'>): string | null },
): Parameter {
  read({ variables })
  return { type, read }
}

/** Plans a value that may be null. */
export function nullableScalar(planner: Planner, input: Input, type: PgType): Scalar {
  return { kind: 'parameter', parameter: planParameter(planner, input, type) }
}

/**
 * Plans the value that another value is compared with. It must not be null.
 *
 * @throws validation-failed
 */
export function comparand(planner: Planner, input: Input, type: PgType): Scalar {
  if (!isPresent(planner, input)) throw unexpectedNull(input.type, input.path)
  return nullableScalar(planner, input, type)
}

/**
 * Plans the list that a value is compared with. Neither the list nor an item may be null.
 *
 * @throws validation-failed
 */
export function listComparand(
  planner: Planner,
  input: Input,
  type: PgType,
  itemPgType = elementType(type),
): Scalar {
  if (!isPresent(planner, input))
    throw validationError(input.path, 'expected a list, but found null')
  if (input.kind === 'literal')
    readItems(planner, input, (item) => refuseWrongLiteral(planner, item))
  const itemType = namedType(input.type)
  const checkItem = (item: unknown, i: number) => {
    const path = `${input.path}[${i}]`
    if (item === null) throw unexpectedNull(input.type, path)
    return valueCheck({ type: itemType, path }, itemPgType)(item)
  }
  const check = (value: unknown) => (isList(value) ? value : [value]).map(checkItem)
  return { kind: 'parameter', parameter: planParameter(planner, input, type, check) }
}

function unexpectedNull(type: TypeRef, path: string): EngineError {
  const innerType = namedType(type)
  if (innerType.kind === 'enum') return notAnEnumValue(innerType, 'null', path)
  return validationError(path, `unexpected null value for type '${innerType.name}'`)
}

/**
 * Plans a value to store in a column. It may be null only if the column is nullable. A parameter for a domain has the
 * domain's base type, so that PostgreSQL makes the domain's check only when it stores a row.
 */
export function storedScalar(planner: Planner, input: Input, column: Column): Scalar {
  const { nullable } = column
  const type = comparisonType(column.type)
  return nullable ? nullableScalar(planner, input, type) : comparand(planner, input, type)
}

/** Reads a boolean that the plan depends on. If the boolean is absent, returns `otherwise`; without `otherwise`, throws. */
export function readFlag(planner: Planner, input: Input, otherwise?: boolean): boolean {
  if (otherwise !== undefined && input.kind === 'absent') return otherwise
  const value = constantValue(planner, input)
  if (typeof value === 'boolean') return value
  throw validationError(
    input.path,
    `expected a boolean for type 'Boolean', but found ${describeInput(planner, input)}`,
  )
}

/** Rejects a literal for an enum that is not an enum value, for example a string. */
function refuseWrongLiteral(planner: Planner, input: Input): void {
  if (input.kind !== 'literal') return
  const type = nullableType(input.type)
  if (type.kind === 'enum' && input.node.kind !== Kind.ENUM && input.node.kind !== Kind.NULL)
    throw notAnEnumValue(type, describeInput(planner, input), input.path)
}

function hasVariables(node: ValueNode): boolean {
  const search = { found: false }
  visit(node, {
    Variable() {
      search.found = true
    },
  })
  return search.found
}
