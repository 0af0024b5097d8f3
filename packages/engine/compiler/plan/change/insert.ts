import type { Conflict, Name, Output, Root, Step } from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { itemsOf } from '../document/input.ts'
import { fieldArguments, type SelectedField } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { Steps } from '../steps.ts'
import { changeRoot, emptyResult, noteSessionVariables, type PlannedChange } from './change-root.ts'
import { validateInsert } from './input-validation.ts'
import { insertChange, tableName } from './insert-change.ts'
import { type InputRow, readRow } from './inserted-row.ts'
import { addSteps } from './nested-insert.ts'
import { planConflict } from './on-conflict.ts'

/**
 * Plans `insert_<table>`. One statement inserts all rows, unless a row has nested rows. Then each row gets its own
 * statements.
 */
export function* planInsert(
  planner: Planner,
  selection: SelectedField,
  table: Table,
  planOutput: () => Output,
): Steps<PlannedChange> {
  const args = fieldArguments(planner, selection)
  const conflict = planConflict(planner, args(table.source.naming.field('on_conflict')), table)
  const objects: InputRow[] = []
  for (const item of itemsOf(planner, args('objects'))) {
    yield
    objects.push(readRow(planner, item, `${selection.path}.args.objects[${objects.length}]`))
  }
  yield
  const output = planOutput()
  validateInsert(planner, table, objects)
  noteInsertVariables(planner, table, objects, conflict)
  if (objects.length === 0) return { kind: 'constant', text: emptyResult(output) }
  return {
    kind: 'database',
    source: table.source.name,
    root: insertRoot(planner, table, { objects, conflict, output }),
  }
}

/** Plans `insert_<table>_one`. */
export function planInsertOne(
  planner: Planner,
  selection: SelectedField,
  table: Table,
  planOutput: () => Output,
): PlannedChange {
  const args = fieldArguments(planner, selection)
  const conflict = planConflict(planner, args(table.source.naming.field('on_conflict')), table)
  // Hasura treats the row as a list with one item, so the paths of errors contain `[0]`.
  const objects = [readRow(planner, args('object'), `${selection.path}.args.object[0]`)]
  const output = planOutput()
  validateInsert(planner, table, objects)
  noteInsertVariables(planner, table, objects, conflict)
  return {
    kind: 'database',
    source: table.source.name,
    root: insertRoot(planner, table, { objects, conflict, output }),
  }
}

/** Records the session variables: of nested rows first, then of the checks, the presets and `on_conflict`. */
function noteInsertVariables(
  planner: Planner,
  table: Table,
  rows: readonly InputRow[],
  conflict: Conflict | null,
): void {
  for (const { related } of rows)
    for (const { relationship, rows, conflict } of related)
      noteInsertVariables(planner, relationship.remote, rows, conflict)
  const { insert } = planner.schema.access(table)
  noteSessionVariables(planner, insert?.check, conflict?.check, insert?.presets, conflict)
}

type InsertInput = { objects: readonly InputRow[]; conflict: Conflict | null; output: Output }

function insertRoot(
  planner: Planner,
  table: Table,
  { objects, conflict, output }: InsertInput,
): Root {
  const isNested = objects.some(({ related }) => related.some(({ rows }) => rows.length > 0))
  if (!isNested) {
    const change = insertChange(
      planner,
      table,
      objects.map(({ cells }) => cells),
      conflict,
    )
    return changeRoot(table.source, change, output)
  }
  const steps: Step[] = []
  const names = objects.map((object) =>
    addSteps(planner, table, { object, conflict, parentCells: new Map() }, steps),
  )
  return { kind: 'steps', steps, output, from: savedRows(names, table) }
}

function savedRows(names: readonly string[], table: Name) {
  return { kind: 'savedRows', names, table: tableName(table) } as const
}
