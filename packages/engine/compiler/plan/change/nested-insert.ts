import { quotedNames } from '../../../json/quoted-names.ts'
import { catalogKey } from '../../../postgres/catalog.ts'
import type { ChangeStep, Conflict, Scalar, Step } from '../../ir/ir.ts'
import type { Relationship, Table } from '../../model/model.ts'
import { inHashOrder } from '../../schema/hash-order.ts'
import type { Planner } from '../planner.ts'
import { insertChange, tableName } from './insert-change.ts'
import { type InputRow, isInsertedFirst } from './inserted-row.ts'

type RowNode = {
  object: InputRow
  conflict: Conflict | null
  /** The cells with values from the parent row. */
  parentCells: ReadonlyMap<string, Scalar>
}

/**
 * Adds the steps for a row: the nested rows that it refers to, the row itself, then the nested rows that refer to it.
 *
 * @returns the name under which the row is saved
 */
export function addSteps(
  planner: Planner,
  table: Table,
  { object, conflict, parentCells }: RowNode,
  steps: Step[],
): string {
  planner.notes.countSubquery()
  refuseParentColumns(object, parentCells, steps)
  for (const { path, relationship } of object.related)
    if (isInsertedFirst(relationship))
      refuseDetermined(object, relationship, { parentCells, path }, steps)
  const cells = new Map([...object.cells, ...parentCells])
  for (const { path, relationship, rows, conflict } of object.related) {
    const [row] = rows
    if (!isInsertedFirst(relationship) || !row) continue
    const { remote, pairs } = relationship
    const savedAs = addSteps(
      planner,
      remote,
      { object: row, conflict, parentCells: new Map() },
      steps,
    )
    requireRows(steps, savedAs, {
      path,
      message: `cannot proceed to insert object relation "${relationship.name}" since insert to table "${catalogKey(remote)}" affects zero rows`,
    })
    for (const { local, remote: column } of pairs)
      cells.set(local.name, {
        kind: 'savedColumn',
        savedAs,
        table: tableName(remote),
        column: column.name,
      })
  }
  const savedAs = `engine.rows_${steps.length}`
  const change = insertChange(planner, table, [cells], conflict)
  steps.push({ change, savedAs, path: object.path, required: null })
  for (const related of object.related) {
    if (isInsertedFirst(related.relationship) || related.rows.length === 0) continue
    requireRows(steps, savedAs, {
      path: object.path,
      message: `cannot proceed to insert array relations since insert to table "${catalogKey(table)}" affects zero rows`,
    })
    addChildren(planner, table, { ...related, savedAs }, steps)
  }
  return savedAs
}

type Children = InputRow['related'][number] & { savedAs: string }

function addChildren(
  planner: Planner,
  table: Table,
  { path, relationship, rows, conflict, savedAs }: Children,
  steps: Step[],
): void {
  const { remote, pairs } = relationship
  const parentCells = new Map(
    pairs.map(({ local, remote: column }): [string, Scalar] => [
      column.name,
      { kind: 'savedColumn', savedAs, table: tableName(table), column: local.name },
    ]),
  )
  if (rows.some(({ related }) => related.length > 0)) {
    for (const object of rows) addSteps(planner, remote, { object, conflict, parentCells }, steps)
    return
  }
  planner.notes.countSubquery()
  for (const object of rows) refuseParentColumns(object, parentCells, steps)
  const cells = rows.map((row) => new Map([...row.cells, ...parentCells]))
  const change = insertChange(planner, remote, cells, conflict)
  steps.push({
    change,
    savedAs: `engine.rows_${steps.length}`,
    path: `${path}.data`,
    required: null,
  })
}

/** Makes the step that saves rows as `savedAs` fail if it changes no row. Keeps an error that is already set. */
function requireRows(
  steps: Step[],
  savedAs: string,
  required: NonNullable<ChangeStep['required']>,
): void {
  const index = steps.findIndex((step) => 'savedAs' in step && step.savedAs === savedAs)
  const step = steps[index]
  if (step && 'required' in step) steps[index] = { ...step, required: step.required ?? required }
}

/**
 * Adds a step that fails if the row sets columns that get their values from the parent row. As in Hasura, the error is
 * reported only when this step runs, so an earlier error wins.
 */
function refuseParentColumns(
  { cells, path }: InputRow,
  parentCells: ReadonlyMap<string, Scalar>,
  steps: Step[],
): void {
  const conflicts = [...cells.keys()].filter((name) => parentCells.has(name))
  if (conflicts.length === 0) return
  const names = quotedNames(inHashOrder(conflicts, (name) => name))
  steps.push({
    path,
    refusal: `cannot insert ${names} columns as their values are already being determined by parent insert`,
  })
}

function refuseDetermined(
  { cells }: InputRow,
  { name, pairs }: Relationship,
  { parentCells, path }: { parentCells: ReadonlyMap<string, Scalar>; path: string },
  steps: Step[],
): void {
  const conflicts = pairs.filter(
    ({ local }) => cells.has(local.name) || parentCells.has(local.name),
  )
  if (conflicts.length === 0) return
  const columns = conflicts.map(({ local }) => local.name)
  const names = quotedNames(inHashOrder(columns, (column) => column))
  steps.push({
    path,
    refusal: `cannot insert object relationship "${name}" as ${names} column values are already determined`,
  })
}
