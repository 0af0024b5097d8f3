import { z } from 'zod'
import { EngineError } from '../../errors.ts'
import type { Bindings, Parameter, Predicate, Scalar } from '../../ir/ir.ts'
import { aesonKind, wrongKindMessage } from '../../json/aeson-wording.ts'
import { ownValue } from '../../json/own-value.ts'
import { quotedNames } from '../../json/quoted-names.ts'
import { isList, isRecord } from '../../json/record.ts'
import { catalogKey, type PgType } from '../../postgres/catalog.ts'
import {
  COLUMN_OPERATORS,
  isOperator,
  OPERATORS,
  type OperatorName,
  operandType,
  operatorsOfFamily,
  takesList,
} from '../../postgres/operators.ts'
import { builtInType, scalarOf } from '../../postgres/scalars.ts'
import { elementType, encodeValue, isJsonType, isSessionVariable } from '../../postgres/values.ts'
import { Inconsistent } from '../inconsistency.ts'
import type { Column, Table } from '../model.ts'
import { functionCall } from './function-call.ts'

type Tables = ReadonlyMap<string, Table>

/**
 * Parses a permission's boolean expression. Columns have their names in the database. Conditions on related rows
 * apply to all related rows, even those that the role may not select. Session variables become parameters.
 *
 * @throws Inconsistent
 */
export function parseExpression(expression: unknown, table: Table, tables: Tables): Predicate {
  const of = parseObject(expression, { table, root: table, tables })
  return of.kind === 'and' && of.all.length === 0 ? of : { kind: 'rooted', of }
}

type Scope = { table: Table; root: Table; tables: Tables }

function parseObject(expression: unknown, scope: Scope): Predicate {
  const parts = Object.entries<unknown>({ ...requireObject(expression, scope) })
  return { kind: 'and', all: parts.map(([key, value]) => parseEntry(key, value, scope)) }
}

function parseEntry(given: string, value: unknown, scope: Scope): Predicate {
  const key = given.replace(/^\$/, '_')
  const connective = ownValue(CONNECTIVES, key)
  if (connective) return connective(value, scope)
  const column = findColumn(scope.table, key)
  if (column) return parseComparisons(value, columnScalar(column), column, scope)
  const relationship = scope.table.relationships.get(key)
  if (relationship) {
    const { remote, pairs } = relationship
    return {
      kind: 'exists',
      from: { kind: 'table', table: remote },
      join: pairs.map((pair) => ({ outer: pair.local.name, inner: pair.remote.name })),
      where: parseObject(value, { ...scope, table: remote }),
    }
  }
  return parseComputedField(key, value, scope)
}

const CONNECTIVES: Readonly<Record<string, (value: unknown, scope: Scope) => Predicate>> = {
  _and: (value, scope) => ({
    kind: 'and',
    all: requireList(value, scope).map((item) => parseObject(item, scope)),
  }),
  _or: (value, scope) => ({
    kind: 'or',
    any: requireList(value, scope).map((item) => parseObject(item, scope)),
  }),
  _not: (value, scope) => ({ kind: 'not', of: parseObject(value, scope) }),
  _exists: (value, scope) => parseExists(value, scope),
}

const Exists = z.object({
  _table: z.union([
    z.string().transform((name) => ({ schema: 'public', name })),
    z.object({ schema: z.string().default('public'), name: z.string() }),
  ]),
  _where: z.unknown(),
})

function parseExists(value: unknown, scope: Scope): Predicate {
  const exists = Exists.safeParse(value)
  if (!exists.success) throw new Inconsistent('"_exists" expects "_table" and "_where"')
  const table = scope.tables.get(catalogKey(exists.data._table))
  if (!table) throw new Inconsistent(`table "${catalogKey(exists.data._table)}" is not tracked`)
  const where = parseObject(exists.data._where, { ...scope, table })
  return { kind: 'exists', from: { kind: 'table', table }, join: [], where }
}

function parseComputedField(key: string, value: unknown, scope: Scope): Predicate {
  const field = scope.table.computedFields.get(key)
  if (!field) throw new Inconsistent(`column "${key}" does not exist`)
  const call = functionCall(field, new Map())
  const { returns } = field
  if (returns.kind === 'scalar')
    return parseComparisons(value, { kind: 'call', call }, returns, scope)
  const where = parseObject(value, { ...scope, table: returns.table })
  return { kind: 'exists', from: { kind: 'function', call }, join: [], where }
}

function parseComparisons(value: unknown, left: Scalar, of: ValueType, scope: Scope): Predicate {
  const { type, enumType } = of
  if (value === null || typeof value !== 'object' || isList(value))
    return compareWithConstant('_eq', left, value, { type, enumType, scope })
  const all = Object.entries<unknown>({ ...value }).map(([key, operand]) =>
    parseComparison(key.replace(/^\$/, '_'), left, operand, { type, enumType, scope }),
  )
  return { kind: 'and', all }
}

type ValueType = Pick<Column, 'type' | 'enumType'>
type Typed = ValueType & { scope: Scope }

function parseComparison(name: string, left: Scalar, operand: unknown, typed: Typed): Predicate {
  if (name === '_is_null') return { kind: 'null', of: left, isNull: requireBoolean(operand) }
  if (name === '_cast') return parseCast(left, operand, typed)
  const ofColumns = ownValue(COLUMN_OPERATORS, name)
  if (ofColumns)
    return {
      kind: 'compare',
      operator: ofColumns,
      left,
      right: parseColumnOperand(operand, typed),
    }
  const operator = ownValue(ALIASES, name) ?? name
  if (!isOperator(operator) || !operatorsOfType(typed.type).includes(operator))
    throw new Inconsistent(`unexpected operator "${name}"`)
  return compareWithConstant(operator, left, operand, typed)
}

function operatorsOfType(type: PgType): readonly OperatorName[] {
  return operatorsOfFamily(type.element === null ? scalarOf(type).family : 'array', false)
}

function requireBoolean(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new Inconsistent(`expected Bool, but encountered ${aesonKind(value)}`)
}

/** Second names of operators, which are valid in permissions only. */
const ALIASES: Readonly<Record<string, OperatorName>> = { _ne: '_neq' }

function compareWithConstant(
  operator: OperatorName,
  left: Scalar,
  operand: unknown,
  { type, enumType }: Typed,
): Predicate {
  const ofNull = operand === null ? ownValue(OF_NULL, operator) : undefined
  if (ofNull !== undefined) return { kind: 'null', of: left, isNull: ofNull }
  const items = takesList(OPERATORS[operator].takes) ? requireItems(operand) : [operand]
  for (const item of items) requireEnumValue(item, enumType)
  const right = constantScalar(operandType(OPERATORS[operator].takes, type), operand)
  return { kind: 'compare', operator, left, right }
}

/** The items of a list; a session variable stands for a whole list. */
function requireItems(operand: unknown): readonly unknown[] {
  if (isList(operand)) return operand
  if (isSessionVariable(operand)) return []
  throw new Inconsistent(wrongKindMessage('[]', 'Array', operand))
}

function requireEnumValue(value: unknown, enumType: Column['enumType']): void {
  if (!enumType || isSessionVariable(value)) return
  const names = enumType.values.map(({ value: name }) => name)
  if (!names.includes(String(value)))
    throw new Inconsistent(
      `expected one of the values ${quotedNames(names)} for type "${enumType.name}", given ${JSON.stringify(value)}`,
    )
}

/** In permissions, `_eq` and `_neq` with null mean `is null` (true) and `is not null` (false). */
const OF_NULL: Readonly<Record<string, boolean>> = { _eq: true, _neq: false }

/**
 * A value that the metadata contains, as an SQL expression: a session variable, a list, which may contain session
 * variables, or a constant.
 */
export function constantScalar(type: PgType, value: unknown): Scalar {
  if (isSessionVariable(value)) {
    const read = sessionVariableReader(value.toLowerCase())
    return { kind: 'parameter', parameter: { type, ofSession: true, read } }
  }
  if (isList(value) && value.some(isSessionVariable))
    return {
      kind: 'list',
      type,
      items: value.map((item: unknown) => constantScalar(elementType(type), item)),
    }
  if (isRecord(value) && !isJsonType(type))
    throw new Inconsistent(wrongKindMessage(type.name, 'String', value))
  const text = encodeValue(type, value)
  return parameterScalar(type, () => text)
}

function parameterScalar(type: PgType, read: Parameter['read']): Scalar {
  return { kind: 'parameter', parameter: { type, read } }
}

function sessionVariableReader(name: string) {
  return ({ session }: Bindings): string => {
    const value = session.variables.get(name)
    if (value === undefined)
      throw new EngineError('not-found', `missing session variable: "${name}"`, { status: 400 })
    return value
  }
}

function parseCast(left: Scalar, operand: unknown, { scope }: Typed): Predicate {
  const all = Object.entries<unknown>({ ...requireObject(operand, scope) }).map(([name, value]) => {
    const type = ownValue(CASTS, name)
    if (!type) throw new Inconsistent(`cannot cast to "${name}"`)
    return parseComparisons(
      value,
      { kind: 'cast', of: left, type },
      { type, enumType: null },
      scope,
    )
  })
  return { kind: 'and', all }
}

const CASTS: Readonly<Record<string, PgType>> = {
  String: builtInType('text'),
  text: builtInType('text'),
}

function parseColumnOperand(operand: unknown, { type, scope }: Typed): Scalar {
  const path: readonly unknown[] = Array.isArray(operand) ? operand : [operand]
  const ofRoot = path.length === 2 && path[0] === '$'
  const name = path.at(-1)
  const column = findColumn(ofRoot ? scope.root : scope.table, String(name))
  if (!column || path.length > 2)
    throw new Inconsistent(`column ${JSON.stringify(operand)} does not exist`)
  if (catalogKey(column.type) !== catalogKey(type) || column.type.element !== type.element)
    throw new Inconsistent(`incompatible column types: ${type.name}, ${column.type.name}`)
  return { kind: 'column', name: column.name, of: ofRoot ? 'root' : 'row' }
}

function findColumn(table: Table, name: string): Column | undefined {
  return [...table.columns.values()].find((column) => column.name === name)
}

function columnScalar({ name }: Column): Scalar {
  return { kind: 'column', name, of: 'row' }
}

function requireObject(value: unknown, { table }: Scope): Readonly<Record<string, unknown>> {
  if (value !== null && typeof value === 'object' && !isList(value)) return { ...value }
  throw new Inconsistent(`expected an object in a boolean expression on "${catalogKey(table)}"`)
}

function requireList(value: unknown, { table }: Scope): readonly unknown[] {
  if (isList(value)) return value
  throw new Inconsistent(`expected a list in a boolean expression on "${catalogKey(table)}"`)
}
