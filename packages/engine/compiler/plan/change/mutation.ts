import { validationError } from '../../../errors.ts'
import { isList } from '../../../json/record.ts'
import {
  type Assignment,
  type Change,
  type Output,
  type Predicate,
  type ResponsePart,
  type Root,
  TRUE,
} from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, itemsOf, objectMember } from '../document/input.ts'
import {
  fieldArguments,
  objectTypeOf,
  readFields,
  type SelectedField,
} from '../document/selection-set.ts'
import { planFields } from '../fields/fields.ts'
import type { Planner } from '../planner.ts'
import { planFilter } from '../read/filter.ts'
import { keyFilter } from '../root/query.ts'
import type { Steps } from '../steps.ts'
import { changeRoot, emptyResult, noteSessionVariables, type PlannedChange } from './change-root.ts'
import { validateArguments } from './input-validation.ts'
import { planInsert, planInsertOne } from './insert.ts'
import { planAssignments, planKeyColumns } from './update.ts'

/** Plans a root field that changes rows; null for any other field. */
export function* planMutation(
  planner: Planner,
  selection: SelectedField,
): Steps<PlannedChange | null> {
  const meaning = selection.field?.meaning
  switch (meaning?.kind) {
    case 'insert':
      return yield* planInsert(planner, selection, meaning.table, () =>
        planResponse(planner, selection, meaning.table),
      )
    case 'insertOne':
      return planInsertOne(planner, selection, meaning.table, () =>
        planRow(planner, selection, meaning.table),
      )
    case 'update':
      return planUpdate(planner, selection, meaning.table)
    case 'updateByPk':
      return planUpdateByKey(planner, selection, meaning.table)
    case 'updateMany':
      return yield* planUpdateMany(planner, selection, meaning.table)
    case 'delete': {
      const { delete: permission } = planner.schema.access(meaning.table)
      validateArguments(planner, selection, permission?.validation, (args) => [args])
      const where = planFilter(planner, fieldArguments(planner, selection)('where'), meaning.table)
      return planDelete(
        planner,
        meaning.table,
        where,
        planResponse(planner, selection, meaning.table),
      )
    }
    case 'deleteByPk': {
      const { delete: permission } = planner.schema.access(meaning.table)
      validateArguments(planner, selection, permission?.validation, (args) => [
        { pk_columns: args },
      ])
      const where = keyFilter(planner, selection, meaning.table)
      return planDelete(planner, meaning.table, where, planRow(planner, selection, meaning.table))
    }
    default:
      return null
  }
}

function planResponse(planner: Planner, selection: SelectedField, table: Table): Output {
  const type = objectTypeOf(selection)
  const parts = readFields(planner, { ...selection, type }, (part): ResponsePart => {
    const { as, field } = part
    if (!field) return { as, kind: 'typename', name: type.name }
    if (field.meaning.kind === 'affectedRows') return { as, kind: 'affected' }
    return { as, kind: 'returning', fields: planFields(planner, part, table) }
  })
  return { kind: 'response', parts }
}

function planRow(planner: Planner, selection: SelectedField, table: Table): Output {
  return { kind: 'row', fields: planFields(planner, selection, table) }
}

function planUpdate(planner: Planner, selection: SelectedField, table: Table): PlannedChange {
  const args = fieldArguments(planner, selection)
  const set = planSet(planner, table, args, `${selection.path}.args`)
  const where = planFilter(planner, args('where'), table)
  const output = planResponse(planner, selection, table)
  validateUpdate(planner, selection, table, (args) => [args])
  noteUpdateVariables(planner, table)
  if (set.length === 0) return { kind: 'constant', text: emptyResult(output) }
  return {
    kind: 'database',
    source: table.source.name,
    root: updateRoot(planner, table, { where, set }, output),
  }
}

function planUpdateByKey(planner: Planner, selection: SelectedField, table: Table): PlannedChange {
  const args = fieldArguments(planner, selection)
  const set = planSet(planner, table, args, `${selection.path}.args`)
  const where = planKeyColumns(planner, args(table.source.naming.field('pk_columns')), table)
  const output = planRow(planner, selection, table)
  validateUpdate(planner, selection, table, (args) => [args])
  noteUpdateVariables(planner, table)
  // Hasura also returns the empty object, although the object does not fit the schema.
  if (set.length === 0) return { kind: 'constant', text: '{}' }
  return {
    kind: 'database',
    source: table.source.name,
    root: updateRoot(planner, table, { where, set }, output),
  }
}

function* planUpdateMany(
  planner: Planner,
  selection: SelectedField,
  table: Table,
): Steps<PlannedChange> {
  const updates: Update[] = []
  for (const item of itemsOf(planner, fieldArguments(planner, selection)('updates'))) {
    yield
    planner.notes.countSubquery()
    const member = objectMember(planner, item)
    const set = planSet(planner, table, member, item.path)
    updates.push({ set, where: planFilter(planner, member('where'), table) })
  }
  const output = planResponse(planner, selection, table)
  validateUpdate(planner, selection, table, ({ updates }) =>
    isList(updates) ? updates : [updates],
  )
  noteUpdateVariables(planner, table)
  // An update that sets no column makes all updates fail, unless none of the updates sets a column, as in Hasura.
  if (updates.every(({ set }) => set.length === 0)) return { kind: 'constant', text: '[]' }
  const roots = updates.map((update) => updateRoot(planner, table, update, output))
  return { kind: 'databaseList', source: table.source.name, roots }
}

function planSet(
  planner: Planner,
  table: Table,
  inputs: (name: string) => Input,
  path: string,
): Assignment[] {
  const permission = planner.schema.access(table).update
  if (!permission) throw validationError(path, `the role may not update "${table.name}"`)
  const { presets } = permission
  return planAssignments(planner, inputs, { source: table.source, presets }, path)
}

function validateUpdate(
  planner: Planner,
  selection: SelectedField,
  table: Table,
  toInput: Parameters<typeof validateArguments>[3],
): void {
  validateArguments(planner, selection, planner.schema.access(table).update?.validation, toInput)
}

function noteUpdateVariables(planner: Planner, table: Table): void {
  const { update } = planner.schema.access(table)
  noteSessionVariables(planner, update?.filter, update?.check, update?.presets)
}

type Update = { where: Predicate; set: readonly Assignment[] }

function updateRoot(planner: Planner, table: Table, { where, set }: Update, output: Output): Root {
  const permission = planner.schema.access(table).update
  const change: Change = {
    kind: 'update',
    table: { schema: table.schema, name: table.name },
    set,
    where: { kind: 'and', operands: [...(permission ? [permission.filter] : []), where] },
    check: permission?.check ?? TRUE,
  }
  return changeRoot(table.source, change, output)
}

function planDelete(
  planner: Planner,
  table: Table,
  where: Predicate,
  output: Output,
): PlannedChange {
  const permission = planner.schema.access(table).delete
  if (!permission) throw validationError('$', `the role may not delete from "${table.name}"`)
  const change: Change = {
    kind: 'delete',
    table: { schema: table.schema, name: table.name },
    where: { kind: 'and', operands: [permission.filter, where] },
  }
  return {
    kind: 'database',
    source: table.source.name,
    root: changeRoot(table.source, change, output),
  }
}
