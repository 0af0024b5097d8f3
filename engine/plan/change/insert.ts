import { EngineError } from '../../errors.ts'
import type { Conflict, Name, Output, Predicate, Root, Scalar, Step } from '../../ir/ir.ts'
import { quotedList } from '../../json/quoted-list.ts'
import type { InsertPermission, Preset, Relationship, Table } from '../../model/model.ts'
import { keyOf } from '../../postgres/catalog.ts'
import { enumName, type Input, isGiven, items, members } from '../document/input.ts'
import { storable } from '../document/leaf.ts'
import { argumentsOf, type Selected } from '../document/selection-set.ts'
import { invalid, type Planner } from '../planner.ts'
import { planFilter } from '../read/filter.ts'
import { nothingChanged, type PlannedChange, seesNewState } from './change.ts'

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
  const args = argumentsOf(planner, one)
  const objects = items(planner, args('objects')).map((item, i) =>
    readObject(planner, item, `${one.path}.args.objects[${i}]`),
  )
  if (objects.length === 0) return { kind: 'known', text: nothingChanged(output) }
  const conflict = one.field?.args.has('on_conflict') ? args('on_conflict') : null
  return { kind: 'database', root: insertRoot(planner, table, { objects, conflict, output }) }
}

/** `insert_G_one`. */
export function planInsertOne(
  planner: Planner,
  one: Selected,
  table: Table,
  output: Output,
): PlannedChange {
  const args = argumentsOf(planner, one)
  // Hasura treats it as a list of one row, which shows in the paths of errors.
  const objects = [readObject(planner, args('object'), `${one.path}.args.object[0]`)]
  const conflict = one.field?.args.has('on_conflict') ? args('on_conflict') : null
  return { kind: 'database', root: insertRoot(planner, table, { objects, conflict, output }) }
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

function readObject(planner: Planner, input: Input, path: string): GivenRow {
  const given = members(planner, input)
  const cells = given.flatMap(({ field: { meaning }, value }) =>
    meaning.kind === 'column'
      ? [[meaning.column.name, storable(planner, value, meaning.column)] as const]
      : [],
  )
  const related = given.flatMap(({ field, value }) => {
    const { meaning } = field
    if (meaning.kind !== 'relationship' || !isGiven(planner, value)) return []
    return [readRelated(planner, value, meaning.relationship, `${path}.${field.name}`)]
  })
  return { path, cells: new Map(cells), related }
}

function readRelated(
  planner: Planner,
  input: Input,
  relationship: Relationship,
  path: string,
): GivenRow['related'][number] {
  const given = new Map(members(planner, input).map(({ field, value }) => [field.name, value]))
  const data = given.get('data')
  if (!data) throw invalid(input.path, "missing required field 'data'")
  const inputs = relationship.kind === 'object' ? [data] : items(planner, data)
  const isFirst = comesFirst(relationship)
  return {
    path,
    relationship,
    rows: inputs.map((item, i) =>
      readObject(planner, item, isFirst ? `${path}.data` : `${path}.data[${i}]`),
    ),
    conflict: given.get('on_conflict') ?? null,
  }
}

/** Whether the related row is inserted before the row that refers to it. */
function comesFirst({ kind, afterParent }: Relationship): boolean {
  return kind === 'object' && !afterParent
}

type Inserted = { objects: readonly GivenRow[]; conflict: Input | null; output: Output }

function insertRoot(planner: Planner, table: Table, { objects, conflict, output }: Inserted): Root {
  const isNested = objects.some(({ related }) => related.length > 0)
  if (!isNested) {
    const change = changeOf(
      planner,
      table,
      objects.map(({ cells }) => cells),
      conflict,
    )
    return seesNewState(planner, change, output)
  }
  const steps: Step[] = []
  const keeps = objects.map((object) =>
    addSteps(planner, table, { object, conflict, fixed: new Map() }, steps),
  )
  return { kind: 'steps', steps, output, from: kept(keeps, table) }
}

function kept(keeps: readonly string[], table: Name) {
  return { kind: 'kept', keeps, table: nameOf(table) } as const
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
    if (!comesFirst(relationship) || !row) continue
    refuseDetermined(object, relationship, { fixed, path })
    const { remote, pairs } = relationship
    const keep = addSteps(planner, remote, { object: row, conflict, fixed: new Map() }, steps)
    require(steps, keep, {
      path,
      message: `cannot proceed to insert object relation "${relationship.name}" since insert to table "${keyOf(remote)}" affects zero rows`,
    })
    for (const { local, remote: column } of pairs)
      cells.set(local.name, { kind: 'kept', keep, table: nameOf(remote), column: column.name })
  }
  const keep = `engine.rows_${steps.length}`
  const change = changeOf(planner, table, [cells], conflict)
  steps.push({ change, keep, path: object.path, required: null })
  for (const related of object.related) {
    if (comesFirst(related.relationship) || related.rows.length === 0) continue
    require(steps, keep, {
      path: object.path,
      message: `cannot proceed to insert array relations since insert to table "${keyOf(table)}" affects zero rows`,
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
      { kind: 'kept', keep, table: nameOf(table), column: local.name },
    ]),
  )
  if (rows.some(({ related }) => related.length > 0)) {
    for (const object of rows) addSteps(planner, remote, { object, conflict, fixed }, steps)
    return
  }
  for (const object of rows) refuseFixed(object, fixed)
  const cells = rows.map((row) => new Map([...row.cells, ...fixed]))
  const change = changeOf(planner, remote, cells, conflict)
  steps.push({
    change,
    keep: `engine.rows_${steps.length}`,
    path: `${path}.data`,
    required: null,
  })
}

/** Makes the step that keeps these rows fail if it inserts none; a reason that is already set stays. */
function require(steps: Step[], keep: string, required: NonNullable<Step['required']>): void {
  const index = steps.findIndex((step) => step.keep === keep)
  const step = steps[index]
  if (step) steps[index] = { ...step, required: step.required ?? required }
}

function refuseFixed({ cells, path }: GivenRow, fixed: ReadonlyMap<string, Scalar>): void {
  const clash = [...cells.keys()].filter((name) => fixed.has(name))
  if (clash.length === 0) return
  const names = quotedList(clash)
  throw invalid(
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
  const names = quotedList(clash.map(({ local }) => local.name))
  throw invalid(
    path,
    `cannot insert object relationship "${name}" as ${names} column values are already determined`,
  )
}

function changeOf(
  planner: Planner,
  table: Table,
  given: readonly ReadonlyMap<string, Scalar>[],
  conflict: Input | null,
): Step['change'] {
  const { insert } = planner.schema.access(table)
  if (!insert)
    throw new EngineError('validation-failed', `the role may not insert into "${table.name}"`)
  const rows = given.map((cells) => new Map([...cells, ...presetCells(insert)]))
  const columns = columnsOf(table, rows)
  return {
    kind: 'insert',
    table: nameOf(table),
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
function columnsOf(table: Table, rows: readonly ReadonlyMap<string, Scalar>[]): string[] {
  const names = [...new Set(rows.flatMap((cells) => [...cells.keys()]))]
  const [first] = table.columns.values()
  return names.length > 0 || !first ? names : [first.name]
}

function nameOf({ schema, name }: Name): Name {
  return { schema, name }
}

/** Plans `on_conflict`: the constraint, the columns to update, and the condition. */
function planConflict(planner: Planner, input: Input, table: Table): Conflict {
  const given = new Map(members(planner, input).map(({ field, value }) => [field.name, value]))
  const constraint = given.get('constraint')
  if (!constraint) throw invalid(input.path, "missing required field 'constraint'")
  const columns = given.get('update_columns')
  const { update } = planner.schema.access(table)
  const chosen = columns ? items(planner, columns).map((item) => enumName(planner, item)) : []
  const names = chosen.map((field) => {
    const column = table.columns.get(field)
    if (!column || !update?.columns.has(column)) throw invalid(input.path, 'erroneous column name')
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
