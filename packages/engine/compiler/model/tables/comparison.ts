import { aesonKind, wrongKindMessage } from '../../../json/aeson-wording.ts'
import { ownValue } from '../../../json/own-value.ts'
import { quotedNames } from '../../../json/quoted-names.ts'
import { isList, isRecord } from '../../../json/record.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import {
  type FunctionOperatorName,
  familiesWith,
  isFunctionOperator,
  memberType,
  type Operand,
  operatorFunction,
  rightOperand,
} from '../../../postgres/postgis-operators.ts'
import {
  castTarget,
  comparisonType,
  type Family,
  scalarOf,
  sqlTypeName,
} from '../../../postgres/scalars.ts'
import { isSessionVariable } from '../../../postgres/values.ts'
import type { Predicate, Scalar } from '../../ir/ir.ts'
import {
  COLUMN_OPERATORS,
  familiesOf,
  isListOperand,
  isOperator,
  OPERATORS,
  type OperatorName,
  operandType,
} from '../../operators.ts'
import { Inconsistent } from '../inconsistency.ts'
import type { Column, Table } from '../model.ts'
import { constantScalar } from './constant-scalar.ts'

/** The left side of a comparison: a column, or another value with a type; `name` is for messages. */
export type LeftOperand = Pick<Column, 'name' | 'type' | 'enumType'> & { scalar: Scalar }

/** The tables with columns that a comparison may name: the row's table, and the table of the permission. */
export type ComparisonScope = { table: Table; root: Table }

/** Makes a column of the row the left side of a comparison. */
export function columnOperand({ name, type, enumType }: Column): LeftOperand {
  return { name, type, enumType, scalar: { kind: 'column', name, of: 'row' } }
}

/** Parses the operators on a left operand. A value that is not an object means `_eq`. @throws Inconsistent */
export function parseComparisons(
  value: unknown,
  left: LeftOperand,
  scope: ComparisonScope,
): Predicate {
  if (!isRecord(value)) return compareWithConstant('_eq', left, value)
  const operands = Object.entries(value).map(([key, operand]) =>
    parseComparison(key, operand, left, scope),
  )
  return { kind: 'and', operands }
}

function parseComparison(
  key: string,
  operand: unknown,
  left: LeftOperand,
  scope: ComparisonScope,
): Predicate {
  const name = key.replace(/^\$/, '_')
  if (name === '_is_null') return { kind: 'null', of: left.scalar, isNull: requireBoolean(operand) }
  if (name === '_cast') return parseCast(operand, left, scope)
  const columnOperator = ownValue(COLUMN_OPERATORS, name)
  if (columnOperator) return compareWithColumn(columnOperator, left, operand, scope)
  if (isFunctionOperator(name)) return parseFunctionOperator(name, operand, left)
  const operator = ownValue(ALIASES, name) ?? name
  // Only requests may use JSON paths. The imitated version of Hasura does not accept them in permissions.
  if (!isOperator(operator) || OPERATORS[operator].operandKind === 'jsonpath')
    throw new Inconsistent(`Unknown operator: ${key}`)
  requireFamily(operator, left)
  return compareWithConstant(operator, left, operand)
}

/** Other names of operators, for permissions only. */
const ALIASES: Readonly<Record<string, OperatorName>> = { _ne: '_neq' }

function requireBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new Inconsistent(`expected Bool, but encountered ${aesonKind(value)}`)
}

/** Rejects an operator that only columns of other families have. An enum column does not count as text. */
function requireFamily(operator: OperatorName, left: LeftOperand): void {
  const families = familiesOf(operator)
  if (!families) return
  const { type, enumType } = left
  const family = type.element === null ? scalarOf(type).family : 'array'
  if (!enumType && families.includes(family)) return
  throw wrongType(left, familyNames(families))
}

/** Creates the error for an operator that the type does not have. `types` names the types that have the operator. */
function wrongType(left: LeftOperand, types: string): Inconsistent {
  // Hasura's message also begins with a space.
  return new Inconsistent(
    ` is of type "${typeName(left)}"; this operator works only on columns of type ${types}`,
  )
}

function familyNames(families: readonly Family[]): string {
  if (families.includes('array')) return 'an array or JSONB'
  return families.includes('text')
    ? quotedNames(['varchar', 'text', 'citext', 'bpchar'])
    : quotedNames(families)
}

/** Returns the type of the left side for messages. For an enum, this is the name of the enum's table. */
function typeName({ type, enumType }: LeftOperand): string {
  return enumType?.table ?? sqlTypeName(comparisonType(type).name)
}

function compareWithConstant(
  operator: OperatorName,
  { scalar: left, type, enumType }: LeftOperand,
  operand: unknown,
): Predicate {
  const isNull = operand === null ? ownValue(NULL_TESTS, operator) : undefined
  if (isNull !== undefined) return { kind: 'null', of: left, isNull }
  const items = isListOperand(OPERATORS[operator].operandKind) ? requireItems(operand) : [operand]
  for (const item of items) requireEnumValue(item, enumType)
  const right = constantScalar(operandType(OPERATORS[operator].operandKind, type), operand)
  return { kind: 'compare', operator, left, right }
}

/** In permissions, `_eq` and `_neq` with null mean `is null` (true) and `is not null` (false). */
const NULL_TESTS: Readonly<Record<string, boolean>> = { _eq: true, _neq: false }

/** Returns the items of a list. Returns none for a session variable, because its value is the whole list. */
function requireItems(operand: unknown): readonly unknown[] {
  if (isList(operand)) return operand
  if (isSessionVariable(operand)) return []
  throw new Inconsistent(wrongKindMessage('[]', 'Array', operand))
}

/** Rejects a constant that the column's enum does not have. @throws Inconsistent */
export function requireEnumValue(value: unknown, enumType: Column['enumType']): void {
  if (!enumType || value === null || isSessionVariable(value)) return
  if (typeof value !== 'string') throw new Inconsistent(wrongKindMessage('Text', 'String', value))
  const names = enumType.values.map(({ value: name }) => name)
  if (!names.includes(value))
    throw new Inconsistent(
      `expected one of the values ${quotedNames(names)} for type "${enumType.table}", given "${value}"`,
    )
}

/** Parses an operator that is a PostGIS function. Permissions cannot use the operators of rasters. */
function parseFunctionOperator(
  operator: FunctionOperatorName,
  operand: unknown,
  left: LeftOperand,
): Predicate {
  const families = familiesWith(operator)
  if (families.includes('raster')) throw new Inconsistent(`Unknown operator: ${operator}`)
  const { type } = left
  const right = left.enumType ? null : rightOperand(operator, type)
  if (right === null) throw wrongType(left, quotedNames(families))
  const args =
    right === 'columnType'
      ? [constantScalar(comparisonType(type), operand)]
      : right.operands
          .toSorted((a, b) => a.place - b.place)
          .map((member) => constantScalar(memberType(member, type), memberOf(operand, member)))
  const value = [left.scalar, ...args].map((value) => ({ name: null, value }))
  return { kind: 'callIsTrue', call: { ...operatorFunction(operator, type), args: value } }
}

function memberOf(operand: unknown, { name }: Operand): unknown {
  if (!isRecord(operand)) throw new Inconsistent(wrongKindMessage('Object', 'Object', operand))
  if (operand[name] === undefined) throw new Inconsistent(`key "${name}" not found`)
  return operand[name]
}

/** Parses `_cast`: a `jsonb` can be compared as text, a geometry as a geography, and a geography as a geometry. */
function parseCast(operand: unknown, left: LeftOperand, scope: ComparisonScope): Predicate {
  if (!isRecord(operand)) throw new Inconsistent(wrongKindMessage('HashMap', 'Object', operand))
  const type = left.enumType ? null : castTarget(left.type)
  const operands = Object.entries(operand).map(([name, value]) => {
    if (name !== type?.name)
      throw new Inconsistent(
        `cannot cast column of type "${typeName(left)}" to type "${sqlTypeName(name)}"`,
      )
    const scalar: Scalar = { kind: 'cast', of: left.scalar, type }
    return parseComparisons(value, { ...left, type, scalar }, scope)
  })
  return { kind: 'and', operands }
}

function compareWithColumn(
  operator: OperatorName,
  left: LeftOperand,
  operand: unknown,
  { table, root }: ComparisonScope,
): Predicate {
  const { name, ofRoot } = parseColumnPath(operand)
  const column = findColumn(ofRoot ? root : table, name)
  if (!column) throw new Inconsistent(`column "${name}" does not exist`)
  const right = columnOperand(column)
  if (typeKey(left) !== typeKey(right))
    throw new Inconsistent(
      `incompatible column types: "${left.name}" has type "${typeName(left)}", but "${name}" has type "${typeName(right)}"`,
    )
  const scalar: Scalar = { kind: 'column', name, of: ofRoot ? 'root' : 'row' }
  return { kind: 'compare', operator, left: left.scalar, right: scalar }
}

/**
 * Parses the name of a column, which may be in a list. In a list that begins with `$`, the column is in the
 * permission's table.
 */
function parseColumnPath(operand: unknown): { name: string; ofRoot: boolean } {
  if (typeof operand === 'string') return { name: operand, ofRoot: false }
  if (!isList(operand))
    throw new Inconsistent('a boolean expression JSON must be either a string or an array')
  const [first, second, ...furtherNames] = operand
  const ofRoot = first === '$' && second !== undefined
  const name = ofRoot ? second : first
  if (name === undefined) throw new Inconsistent('path cannot be empty')
  if (furtherNames.length > 0 || (second !== undefined && !ofRoot))
    throw new Inconsistent('Relationship references are not supported in column comparison RHS')
  if (typeof name !== 'string') throw new Inconsistent(wrongKindMessage('Text', 'String', name))
  return { name, ofRoot }
}

function typeKey({ type, enumType }: LeftOperand): string {
  return JSON.stringify([catalogKey(type), type.element, enumType?.name])
}

/** Finds a column by its name in the database. */
export function findColumn(table: Table, name: string): Column | undefined {
  return [...table.columns.values()].find((column) => column.name === name)
}
