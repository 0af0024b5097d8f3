import type { Column, Relationship, SelectPermission, Table } from '../model/model.ts'
import type { Join, Predicate, Scalar } from './ir.ts'
import { invalid, type Planner } from './planner.ts'

/** What the role may read of a table; a plan never reads without it. */
export function permitted({ schema }: Planner, table: Table, path: string): SelectPermission {
  const { select } = schema.access(table)
  // The schema shows no field that leads here without the permission.
  if (!select) throw invalid(path, `the role may not read "${table.name}"`)
  return select
}

/** A column as the role sees it: null in rows where only others see it. */
export function columnScalar(planner: Planner, table: Table, column: Column): Scalar {
  const mask = planner.schema.access(table).select?.columns.get(column)
  return masked({ kind: 'column', name: column.name, of: 'row' }, mask)
}

/** An expression that is null where its mask does not hold. */
export function masked(of: Scalar, mask: Predicate | null | undefined): Scalar {
  return mask ? { kind: 'masked', of, where: mask } : of
}

/** The columns along which a relationship joins. */
export function joinOf({ pairs }: Relationship): Join {
  return pairs.map(({ local, remote }) => ({ outer: local.name, inner: remote.name }))
}
