import type { Name, Output, Root, Step } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, listItems } from '../document/input.ts'
import { fieldArguments, type Selected } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import { changeRoot, type PlannedChange, unchangedAnswer } from './change-root.ts'
import { insertChange, tableName } from './insert-change.ts'
import { type GivenRow, readRow } from './inserted-row.ts'
import { addSteps } from './nested-insert.ts'

/**
 * Plans `insert_<table>`: one statement for all rows, or, if rows of other tables are nested in
 * them, one for each.
 */
export function planInsert(
  planner: Planner,
  one: Selected,
  table: Table,
  output: Output,
): PlannedChange {
  const args = fieldArguments(planner, one)
  const objects = listItems(planner, args('objects')).map((item, i) =>
    readRow(planner, item, `${one.path}.args.objects[${i}]`),
  )
  if (objects.length === 0) return { kind: 'known', text: unchangedAnswer(output) }
  const conflict = one.field?.args.has('on_conflict') ? args('on_conflict') : null
  return { kind: 'database', root: rootOfInsert(planner, table, { objects, conflict, output }) }
}

/** Plans `insert_<table>_one`. */
export function planInsertOne(
  planner: Planner,
  one: Selected,
  table: Table,
  output: Output,
): PlannedChange {
  const args = fieldArguments(planner, one)
  // Hasura treats it as a list of one row, which shows in the paths of errors.
  const objects = [readRow(planner, args('object'), `${one.path}.args.object[0]`)]
  const conflict = one.field?.args.has('on_conflict') ? args('on_conflict') : null
  return { kind: 'database', root: rootOfInsert(planner, table, { objects, conflict, output }) }
}

type Inserted = { objects: readonly GivenRow[]; conflict: Input | null; output: Output }

function rootOfInsert(
  planner: Planner,
  table: Table,
  { objects, conflict, output }: Inserted,
): Root {
  const isNested = objects.some(({ related }) => related.length > 0)
  if (!isNested) {
    const change = insertChange(
      planner,
      table,
      objects.map(({ cells }) => cells),
      conflict,
    )
    return changeRoot(planner, change, output)
  }
  const steps: Step[] = []
  const keeps = objects.map((object) =>
    addSteps(planner, table, { object, conflict, fixed: new Map() }, steps),
  )
  return { kind: 'steps', steps, output, from: keptSource(keeps, table) }
}

function keptSource(keeps: readonly string[], table: Name) {
  return { kind: 'kept', keeps, table: tableName(table) } as const
}
