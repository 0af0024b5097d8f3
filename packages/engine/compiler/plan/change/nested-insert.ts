import { quotedNames } from '../../../json/quoted-names.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import type { ChangeStep, Conflict, Scalar, Step } from '../../ir/ir.ts'
import type { Relationship, Table } from '../../model/model.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import type { Planner } from '../planner.ts'
import { insertChange, tableName } from './insert-change.ts'
import { type GivenRow, isInsertedFirst } from './inserted-row.ts'

type Node = {
  object: GivenRow
  conflict: Conflict | null
  /** Cells whose values come from the parent row. */
  fixed: ReadonlyMap<string, Scalar>
}

/**
 * Adds the steps for one row:
 * first the nested rows that it refers to, then itself, then those that refer to it.
 */
export function addSteps(
  planner: Planner,
  table: Table,
  { object, conflict, fixed }: Node,
  steps: Step[],
): string {
  planner.notes.countSubquery()
  refuseFixed(object, fixed, steps)
  for (const { path, relationship } of object.related)
    if (isInsertedFirst(relationship))
      refuseDetermined(object, relationship, { fixed, path }, steps)
  const cells = new Map([...object.cells, ...fixed])
  for (const { path, relationship, rows, conflict } of object.related) {
    const [row] = rows
    if (!isInsertedFirst(relationship) || !row) continue
    const { remote, pairs } = relationship
    const keep = addSteps(planner, remote, { object: row, conflict, fixed: new Map() }, steps)
    requireRows(steps, keep, {
      path,
      message: `cannot proceed to insert object relation "${relationship.name}" since insert to table "${catalogKey(remote)}" affects zero rows`,
    })
    for (const { local, remote: column } of pairs)
      cells.set(local.name, { kind: 'kept', keep, table: tableName(remote), column: column.name })
  }
  const keep = `engine.rows_${steps.length}`
  const change = insertChange(planner, table, [cells], conflict)
  steps.push({ change, keep, path: object.path, required: null })
  for (const related of object.related) {
    if (isInsertedFirst(related.relationship) || related.rows.length === 0) continue
    requireRows(steps, keep, {
      path: object.path,
      message: `cannot proceed to insert array relations since insert to table "${catalogKey(table)}" affects zero rows`,
    })
    addChildren(planner, table, { ...related, keep }, steps)
  }
  return keep
}

type Children = GivenRow['related'][number] & { keep: string }

function addChildren(
  planner: Planner,
  table: Table,
  { path, relationship, rows, conflict, keep }: Children,
  steps: Step[],
): void {
  const { remote, pairs } = relationship
  const fixed = new Map(
    pairs.map(({ local, remote: column }): [string, Scalar] => [
      column.name,
      { kind: 'kept', keep, table: tableName(table), column: local.name },
    ]),
  )
  if (rows.some(({ related }) => related.length > 0)) {
    for (const object of rows) addSteps(planner, remote, { object, conflict, fixed }, steps)
    return
  }
  planner.notes.countSubquery()
  for (const object of rows) refuseFixed(object, fixed, steps)
  const cells = rows.map((row) => new Map([...row.cells, ...fixed]))
  const change = insertChange(planner, remote, cells, conflict)
  steps.push({
    change,
    keep: `engine.rows_${steps.length}`,
    path: `${path}.data`,
    required: null,
  })
}

/** Makes the step that keeps these rows fail if it inserts none; a reason that is already set stays. */
function requireRows(
  steps: Step[],
  keep: string,
  required: NonNullable<ChangeStep['required']>,
): void {
  const index = steps.findIndex((step) => 'keep' in step && step.keep === keep)
  const step = steps[index]
  if (step && 'required' in step) steps[index] = { ...step, required: step.required ?? required }
}

/**
 * Refuses cells that the parent determines. As in Hasura, that is told when it is this row's turn: what fails before
 * it is told instead.
 */
function refuseFixed(
  { cells, path }: GivenRow,
  fixed: ReadonlyMap<string, Scalar>,
  steps: Step[],
): void {
  const clash = [...cells.keys()].filter((name) => fixed.has(name))
  if (clash.length === 0) return
  const names = quotedNames(inHashOrder(clash, (name) => name))
  steps.push({
    path,
    refusal: `cannot insert ${names} columns as their values are already being determined by parent insert`,
  })
}

function refuseDetermined(
  { cells }: GivenRow,
  { name, pairs }: Relationship,
  { fixed, path }: { fixed: ReadonlyMap<string, Scalar>; path: string },
  steps: Step[],
): void {
  const clash = pairs.filter(({ local }) => cells.has(local.name) || fixed.has(local.name))
  if (clash.length === 0) return
  const columns = clash.map(({ local }) => local.name)
  const names = quotedNames(inHashOrder(columns, (column) => column))
  steps.push({
    path,
    refusal: `cannot insert object relationship "${name}" as ${names} column values are already determined`,
  })
}
