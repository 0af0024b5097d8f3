import { type Join, type Shape, TRUE } from '../../ir/ir.ts'
import { fieldArguments, type SelectedField } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { JoinedRows } from '../sent-field.ts'
import { allRows } from './access.ts'
import { type PlanFields, planAggregate } from './aggregate.ts'
import { planRows } from './rows.ts'
import { aggregateShape, listShape } from './strategy.ts'

/** Plans the rows of a relationship if its left side is read or requested separately (see `JoinedRows`). */
export function planJoinedRows(
  planner: Planner,
  selection: SelectedField,
  relationship: JoinedRows,
  planFields: PlanFields,
): Shape {
  const { remote, kind, mapping, name } = relationship
  const join: Join = mapping.map(({ field, column }) => ({ outer: field, inner: column.name }))
  const from = { kind: 'table', table: remote } as const
  if (kind === 'object') {
    const rows = allRows(planner, remote, TRUE, from)
    return {
      kind: 'object',
      rows,
      join,
      fields: planFields(planner, selection, remote),
      isLookUp: false,
    }
  }
  const rows = planRows(planner, fieldArguments(planner, selection), remote, from)
  if (selection.field?.name !== name)
    return aggregateShape(rows, join, planAggregate(planner, selection, remote, planFields))
  return listShape(remote, rows, join, planFields(planner, selection, remote))
}
