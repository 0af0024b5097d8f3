import type { Conflict, Predicate } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { enumName, type Input, listItems, objectMembers } from '../document/input.ts'
import { type Planner, validationError } from '../planner.ts'
import { planFilter } from '../read/filter.ts'

/** Plans `on_conflict`: the constraint, the columns to update, and the condition. */
export function planConflict(planner: Planner, input: Input, table: Table): Conflict {
  const given = new Map(
    objectMembers(planner, input).map(({ field, value }) => [field.name, value]),
  )
  const constraint = given.get('constraint')
  if (!constraint) throw validationError(input.path, "missing required field 'constraint'")
  const columns = given.get('update_columns')
  const { update } = planner.schema.access(table)
  const chosen = columns ? listItems(planner, columns).map((item) => enumName(planner, item)) : []
  const names = chosen.map((field) => {
    const column = table.columns.get(field)
    if (!column || !update?.columns.has(column))
      throw validationError(input.path, 'erroneous column name')
    return column.name
  })
  const where = given.get('where')
  const conditions: Predicate[] = [
    ...(update ? [update.filter] : []),
    ...(where ? [planFilter(planner, where, table)] : []),
  ]
  return {
    constraint: enumName(planner, constraint),
    columns: names,
    set: (update?.presets ?? []).map(({ column, value }) => ({ column: column.name, value })),
    where: { kind: 'and', all: conditions },
    check: update?.check ?? null,
  }
}
