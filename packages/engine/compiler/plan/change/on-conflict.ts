import { validationError } from '../../../errors.ts'
import type { Conflict, Predicate } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { enumName, type Input, objectMember, readItems } from '../document/input.ts'
import type { Planner } from '../planner.ts'
import { planFilter } from '../read/filter.ts'

/** Plans `on_conflict`: the constraint, the columns to update, and the condition; null if the argument is missing. */
export function planConflict(planner: Planner, input: Input, table: Table): Conflict | null {
  if (input.kind === 'absent') return null
  const member = objectMember(planner, input)
  const constraint = enumName(planner, member('constraint'))
  const where = member('where')
  const condition = where.kind === 'absent' ? [] : [planFilter(planner, where, table)]
  const columns = member(table.source.naming.field('update_columns'))
  const columnFields =
    columns.kind === 'absent' ? [] : readItems(planner, columns, (item) => enumName(planner, item))
  const { update } = planner.schema.access(table)
  const names = columnFields.map((field) => {
    const column = table.columns.get(field)
    if (!column || !update?.columns.has(column))
      throw validationError(input.path, 'erroneous column name')
    return column.name
  })
  const conditions: Predicate[] = [...(update ? [update.filter] : []), ...condition]
  return {
    constraint,
    // The request may name a column twice.
    columns: [...new Set(names)],
    set: (update?.presets ?? []).map(({ column, value }) => ({ column: column.name, value })),
    where: { kind: 'and', operands: conditions },
    check: update?.check ?? null,
  }
}
