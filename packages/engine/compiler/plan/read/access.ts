import { requireValue } from '../../../../../lib/runtime/require-value.ts'
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

/** Returns the role's permission to read a table. */
export function selectPermission(
  { schema }: Planner,
  table: Table,
  path: string,
): SelectPermission {
  const { select } = schema.access(table)
  // This never happens, because the role's schema has no field for a table without the permission.
  if (!select) throw validationError(path, `the role may not read "${table.name}"`)
  return select
}

/**
 * Returns a column for the role. For an inherited role, the value is null in rows where the role may not see the
 * column.
 */
export function columnScalar(planner: Planner, table: Table, column: Column): Scalar {
  const mask = planner.schema.access(table).select?.columns.get(column)
  return maskedScalar({ kind: 'column', name: column.name, of: 'row' }, mask)
}

/** Returns the column of a table that a value of an enum of columns names. */
export function columnByEnum(planner: Planner, input: Input, table: Table): Column {
  return requireValue(table.columns.get(enumName(planner, input)), 'the column of an enum')
}

/**
 * Returns the SQL name of an aggregate function over rows of a table. As in Hasura, it is the field's name in lower
 * case. A naming convention can change the field's name to `stddevPop`, but PostgreSQL has no function `stddevpop`.
 */
export function aggregateName({ source }: Table, name: string): string {
  return source.naming.field(name).toLowerCase()
}

/** Creates an expression that is null in rows where the mask is not true. */
export function maskedScalar(of: Scalar, mask: Predicate | null | undefined): Scalar {
  return mask ? { kind: 'masked', of, where: mask } : of
}

/** Returns the columns on which a relationship joins. */
export function relationshipJoin({ pairs }: Relationship): Join {
  return pairs.map(({ local, remote }) => ({ outer: local.name, inner: remote.name }))
}

/** Plans all rows of `from` that the role may see and for which `where` is true. */
export function allRows(planner: Planner, table: Table, where: Predicate, from: Source): Rows {
  const { filter } = selectPermission(planner, table, '$')
  return { ...UNBOUNDED, from, where: { kind: 'and', operands: [filter, where] } }
}
