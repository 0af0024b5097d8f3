import fc from 'fast-check'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { COLUMN_TYPES, type ColumnType } from './column-types.ts'
import type { Table } from './random-tables.ts'

type Condition = Record<string, unknown>

/** Generates permission conditions on a table's rows, with columns, session variables and related rows. */
export function randomCondition(
  table: Table,
  tables: readonly Table[],
  depth = 2,
): fc.Arbitrary<Condition> {
  const columns = [...keyColumns(table), ...table.columns]
  const columnComparison = fc
    .constantFrom(...columns)
    .chain(({ name, type }) =>
      randomComparison(type).map((comparison): Condition => ({ [name]: comparison })),
    )
  if (depth === 0) return columnComparison
  const part = randomCondition(table, tables, depth - 1)
  const related = relatedTables(table, tables).map(({ name, table: relatedTable }) =>
    randomCondition(relatedTable, tables, 0).map((condition): Condition => ({ [name]: condition })),
  )
  return fc.oneof(
    { weight: 3, arbitrary: columnComparison },
    { weight: 2, arbitrary: fc.constant<Condition>({}) },
    { weight: 1, arbitrary: fc.array(part, { maxLength: 2 }).map((all) => ({ _and: all })) },
    { weight: 1, arbitrary: fc.array(part, { maxLength: 2 }).map((all) => ({ _or: all })) },
    { weight: 1, arbitrary: part.map((condition) => ({ _not: condition })) },
    ...related.map((arbitrary) => ({ weight: 1, arbitrary })),
    { weight: 1, arbitrary: existence(tables) },
  )
}

const INTEGER = requireValue(COLUMN_TYPES[0], 'the type integer')

function keyColumns({ key }: Table): { name: string; type: ColumnType }[] {
  return key.columns
    .filter(({ name }) => name === 'id')
    .map(({ name }) => ({ name, type: INTEGER }))
}

function existence(tables: readonly Table[]): fc.Arbitrary<Condition> {
  return fc.constantFrom(...tables).chain((table) =>
    randomCondition(table, tables, 0).map((condition) => ({
      _exists: { _table: { schema: 'public', name: table.name }, _where: condition },
    })),
  )
}

/** Lists the relationships of a table to its parents and to its children. */
function relatedTables(table: Table, tables: readonly Table[]): { name: string; table: Table }[] {
  const up = table.parents.flatMap((parent) => {
    const parentTable = tables.find(({ name }) => name === parent.table)
    return parentTable ? [{ name: parent.relationship, table: parentTable }] : []
  })
  const down = tables.flatMap((child) =>
    child.parents
      .filter((parent) => parent.table === table.name)
      .map((parent) => ({ name: backwardName(child, parent.relationship), table: child })),
  )
  return [...up, ...down]
}

/** Names the relationship from a parent to the rows of `child` that reference it. */
export function backwardName(child: Table, relationship: string): string {
  return `${child.name}s_by_${relationship}`
}

function randomComparison(type: ColumnType): fc.Arbitrary<Condition> {
  const value = fc.constantFrom(...type.values)
  const isNull = fc.boolean().map((answer): Condition => ({ _is_null: answer }))
  if (type.compares === 'nothing') return isNull
  const session = type.sql === 'integer' ? [fc.constant<unknown>('X-Hasura-Number')] : []
  const operators = ['_eq', '_neq', '_gt', '_lt', '_gte', '_lte']
  return fc.oneof(
    isNull,
    fc
      .tuple(fc.constantFrom(...operators), fc.oneof(value, ...session))
      .map(([operator, operand]): Condition => ({ [operator]: operand })),
    fc
      .tuple(fc.constantFrom('_in', '_nin'), fc.array(value, { maxLength: 2 }))
      .map(([operator, operand]): Condition => ({ [operator]: operand })),
    ...(type.compares === 'text'
      ? [fc.constantFrom('a%', '%b', '_').map((like): Condition => ({ _like: like }))]
      : []),
  )
}
