import { wrongKindMessage } from '../../../json/aeson-wording.ts'
import { ownValue } from '../../../json/own-value.ts'
import { isList, isRecord } from '../../../json/record.ts'
import { Exists } from '../../../metadata/expressions.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import type { Predicate } from '../../ir/ir.ts'
import { Inconsistent } from '../inconsistency.ts'
import type { ComputedField, Relationship, Table } from '../model.ts'
import { columnOperand, findColumn, parseComparisons } from './comparison.ts'
import { functionCall } from './function-call.ts'

type Tables = ReadonlyMap<string, Table>

/**
 * Parses a permission's boolean expression, in which columns have their names in the database. Conditions on related
 * rows apply to all related rows, even to rows that the role may not select. Session variables become parameters.
 *
 * @throws Inconsistent
 */
export function parseExpression(expression: unknown, table: Table, tables: Tables): Predicate {
  const of = parseObject(expression, { table, root: table, tables })
  return of.kind === 'and' && of.operands.length === 0 ? of : { kind: 'permission', of }
}

type Scope = { table: Table; root: Table; tables: Tables }

function parseObject(expression: unknown, scope: Scope): Predicate {
  const parts = Object.entries<unknown>({ ...requireObject(expression) })
  return { kind: 'and', operands: parts.map(([key, value]) => parseEntry(key, value, scope)) }
}

function parseEntry(key: string, value: unknown, scope: Scope): Predicate {
  const connective = ownValue(CONNECTIVES, key.replace(/^\$/, '_'))
  if (connective) return connective(value, scope)
  const column = findColumn(scope.table, key)
  if (column) return parseComparisons(value, columnOperand(column), scope)
  const relationship = scope.table.relationships.get(key)
  if (relationship) return parseRelationship(relationship, value, scope)
  const field = scope.table.computedFields.get(key)
  if (field) return parseComputedField(field, value, scope)
  throw new Inconsistent(`"${key}" does not exist`)
}

const CONNECTIVES: Readonly<Record<string, (value: unknown, scope: Scope) => Predicate>> = {
  _and: (value, scope) => ({
    kind: 'and',
    operands: requireList(value).map((item) => parseObject(item, scope)),
  }),
  _or: (value, scope) => ({
    kind: 'or',
    operands: requireList(value).map((item) => parseObject(item, scope)),
  }),
  _not: (value, scope) => ({ kind: 'not', of: parseObject(value, scope) }),
  _exists: parseExists,
}

function parseExists(value: unknown, scope: Scope): Predicate {
  const { success, data } = Exists.safeParse(value)
  if (!success) throw new Inconsistent('"_exists" expects "_table" and "_where"')
  const table = scope.tables.get(catalogKey(data._table))
  if (!table) throw new Inconsistent(`table "${catalogKey(data._table)}" does not exist`)
  const where = parseObject(data._where, { ...scope, table })
  return { kind: 'exists', from: { kind: 'table', table }, join: [], where }
}

function parseRelationship(
  { remote, pairs }: Relationship,
  value: unknown,
  scope: Scope,
): Predicate {
  return {
    kind: 'exists',
    from: { kind: 'table', table: remote },
    join: pairs.map((pair) => ({ outer: pair.local.name, inner: pair.remote.name })),
    where: parseObject(value, { ...scope, table: remote }),
  }
}

/**
 * Parses a condition on a computed field. The field's function may take only the row and the session variables, because
 * a permission cannot pass other arguments.
 */
function parseComputedField(field: ComputedField, value: unknown, scope: Scope): Predicate {
  if (field.args.some(({ kind }) => kind === 'caller'))
    throw new Inconsistent(
      'Computed columns with input arguments can not be part of the where clause',
    )
  const call = functionCall(field, new Map())
  const { returns } = field
  if (returns.kind === 'scalar') {
    const left = { ...returns, name: field.field, scalar: { kind: 'call' as const, call } }
    return parseComparisons(value, left, scope)
  }
  const where = parseObject(value, { ...scope, table: returns.table })
  return { kind: 'exists', from: { kind: 'function', call }, join: [], where }
}

function requireObject(value: unknown): object {
  if (isRecord(value)) return value
  throw new Inconsistent(wrongKindMessage('boolean expression', 'Object', value))
}

function requireList(value: unknown): readonly unknown[] {
  if (isList(value)) return value
  throw new Inconsistent(wrongKindMessage('[]', 'Array', value))
}
