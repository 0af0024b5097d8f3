import { present } from '../../../../../lib/runtime/present.ts'
import { validationError } from '../../../errors.ts'
import {
  type Join,
  type Predicate,
  type Rows,
  type Scalar,
  type Source,
  UNBOUNDED,
} from '../../ir/ir.ts'
import type { Column, Relationship, SelectPermission, Table } from '../../model/model.ts'
import { enumName, type Input } from '../document/input.ts'
import type { Planner } from '../planner.ts'

/** The role's permission to read a table: a plan never reads without one. */
export function selectPermission(
  { schema }: Planner,
  table: Table,
  path: string,
): SelectPermission {
  const { select } = schema.access(table)
  // Never happens: without the permission, the role's schema has no field that leads here.
  if (!select) throw validationError(path, `the role may not read "${table.name}"`)
  return select
}

/** A column as the role sees it: with an inherited role, null in rows in which the column is hidden. */
export function columnScalar(planner: Planner, table: Table, column: Column): Scalar {
  const mask = planner.schema.access(table).select?.columns.get(column)
  return maskedScalar({ kind: 'column', name: column.name, of: 'row' }, mask)
}

/** The column that a value of a table's enum of columns names. */
export function namedColumn(planner: Planner, input: Input, table: Table): Column {
  return present(table.columns.get(enumName(planner, input)), 'the column of an enum')
}

/**
 * The name of an aggregate function over rows of a table in SQL. As in Hasura, it is that of the field: if the naming convention changes it,
 * the database has such a function only where somebody has made one.
 */
export function aggregateName({ source }: Table, name: string): string {
  return source.naming.field(name).toLowerCase()
}

/** An expression that is null where its mask does not hold. */
export function maskedScalar(of: Scalar, mask: Predicate | null | undefined): Scalar {
  return mask ? { kind: 'masked', of, where: mask } : of
}

/** The columns along which a relationship joins. */
export function relationshipJoin({ pairs }: Relationship): Join {
  return pairs.map(({ local, remote }) => ({ outer: local.name, inner: remote.name }))
}

/** All rows of a source that the role may see and that match the filter. */
export function allRows(planner: Planner, table: Table, where: Predicate, from: Source): Rows {
  const { filter } = selectPermission(planner, table, '$')
  return { ...UNBOUNDED, from, where: { kind: 'and', all: [filter, where] } }
}
