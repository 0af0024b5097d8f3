import { EngineError } from '../../errors.ts'
import type { Conflict, Name, Output, Predicate, Root, Scalar, Step } from '../../ir/ir.ts'
import { quotedNames } from '../../json/quoted-names.ts'
import type { InsertPermission, Preset, Relationship, Table } from '../../model/model.ts'
import { catalogKey } from '../../postgres/catalog.ts'
import { enumName, type Input, isGiven, listItems, objectMembers } from '../document/input.ts'
import { storedScalar } from '../document/parameter.ts'
import { fieldArguments, type Selected } from '../document/selection-set.ts'
import { type Planner, validationError } from '../planner.ts'
import { planFilter } from '../read/filter.ts'
import { changeRoot, type PlannedChange, unchangedAnswer } from './change-root.ts'

/**
 * Plans `insert_G`: one statement for all rows, or, if
 * rows of other tables are nested in them, one for each.
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

/** `insert_G_one`. */
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

/** A row of the input: its cells by column, and nested rows of related tables; `path` is for its errors. */
type GivenRow = {
  path: string
  cells: ReadonlyMap<string, Scalar>
  related: readonly {
    path: string
    relationship: Relationship
    rows: readonly GivenRow[]
    conflict: Input | null
  }[]
}

function readRow(planner: Planner, input: Input, path: string): GivenRow {
  const given = objectMembers(planner, input)
  const cells = given.flatMap(({ field: { meaning }, value }) =>
    meaning.kind === 'column'
      ? [[meaning.column.name, storedScalar(planner, value, meaning.column)] as const]
      : [],
  )
  const related = given.flatMap(({ field, value }) => {
    const { meaning } = field
    if (meaning.kind !== 'relationship' || !isGiven(planner, value)) return []
    return [readRelatedRows(planner, value, meaning.relationship, `${path}.${field.name}`)]
  })
  return { path, cells: new Map(cells), related }
}

function readRelatedRows(
  planner: Planner,
  input: Input,
  relationship: Relationship,
  path: string,
): GivenRow['related'][number] {
  const given = new Map(
    objectMembers(planner, input).map(({ field, value }) => [field.name, value]),
  )
  const data = given.get('data')
  if (!data) throw validationError(input.path, "missing required field 'data'")
  const inputs = relationship.kind === 'object' ? [data] : listItems(planner, data)
  const isFirst = isInsertedFirst(relationship)
  return {
    path,
    relationship,
    rows: inputs.map((item, i) =>
      readRow(planner, item, isFirst ? `${path}.data` : `${path}.data[${i}]`),
    ),
    conflict: given.get('on_conflict') ?? null,
  }
}

/** Whether the related row is inserted before the row that refers to it. */
function isInsertedFirst({ kind, afterParent }: Relationship): boolean {
  return kind === 'object' && !afterParent
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

type Node = {
  object: GivenRow
  conflict: Input | null
  /** Cells whose values come from the parent row. */
  fixed: ReadonlyMap<string, Scalar>
}

/**
 * Adds the steps for one row:
 * first the nested rows that it refers to, then itself, then those that refer to it.
 */
function addSteps(
  planner: Planner,
  table: Table,
  { object, conflict, fixed }: Node,
  steps: Step[],
): string {
  refuseFixed(object, fixed)
  const cells = new Map([...object.cells, ...fixed])
  for (const { path, relationship, rows, conflict } of object.related) {
    const [row] = rows
    if (!isInsertedFirst(relationship) || !row) continue
    refuseDetermined(object, relationship, { fixed, path })
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
  for (const object of rows) refuseFixed(object, fixed)
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
function requireRows(steps: Step[], keep: string, required: NonNullable<Step['required']>): void {
  const index = steps.findIndex((step) => step.keep === keep)
  const step = steps[index]
  if (step) steps[index] = { ...step, required: step.required ?? required }
}

function refuseFixed({ cells, path }: GivenRow, fixed: ReadonlyMap<string, Scalar>): void {
  const clash = [...cells.keys()].filter((name) => fixed.has(name))
  if (clash.length === 0) return
  const names = quotedNames(clash)
  throw validationError(
    path,
    `cannot insert ${names} columns as their values are already being determined by parent insert`,
  )
}

function refuseDetermined(
  { cells }: GivenRow,
  { name, pairs }: Relationship,
  { fixed, path }: { fixed: ReadonlyMap<string, Scalar>; path: string },
): void {
  const clash = pairs.filter(({ local }) => cells.has(local.name) || fixed.has(local.name))
  if (clash.length === 0) return
  const names = quotedNames(clash.map(({ local }) => local.name))
  throw validationError(
    path,
    `cannot insert object relationship "${name}" as ${names} column values are already determined`,
  )
}

function insertChange(
  planner: Planner,
  table: Table,
  given: readonly ReadonlyMap<string, Scalar>[],
  conflict: Input | null,
): Step['change'] {
  const { insert } = planner.schema.access(table)
  if (!insert)
    throw new EngineError('validation-failed', `the role may not insert into "${table.name}"`)
  const rows = given.map((cells) => new Map([...cells, ...presetCells(insert)]))
  const columns = givenColumns(table, rows)
  return {
    kind: 'insert',
    table: tableName(table),
    columns,
    rows: rows.map((cells) => columns.map((name) => cells.get(name) ?? null)),
    conflict:
      conflict === null || conflict.kind === 'absent'
        ? null
        : planConflict(planner, conflict, table),
    check: insert.check,
  }
}

function presetCells({ presets }: InsertPermission): [string, Scalar][] {
  return presets.map(({ column, value }: Preset) => [column.name, value])
}

/** All columns that any row gives. SQL requires at least one, so without any it is the table's first. */
function givenColumns(table: Table, rows: readonly ReadonlyMap<string, Scalar>[]): string[] {
  const names = [...new Set(rows.flatMap((cells) => [...cells.keys()]))]
  const [first] = table.columns.values()
  return names.length > 0 || !first ? names : [first.name]
}

function tableName({ schema, name }: Name): Name {
  return { schema, name }
}

/** Plans `on_conflict`: the constraint, the columns to update, and the condition. */
function planConflict(planner: Planner, input: Input, table: Table): Conflict {
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
