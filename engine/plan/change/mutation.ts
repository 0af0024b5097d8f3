import {
  type Change,
  type Output,
  type Predicate,
  type ResponsePart,
  type Root,
  TRUE,
} from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, listItems, objectMembers } from '../document/input.ts'
import {
  fieldArguments,
  objectTypeOf,
  type Selected,
  selectedFields,
} from '../document/selection-set.ts'
import { type Planner, validationError } from '../planner.ts'
import { planFields } from '../read/fields.ts'
import { planFilter } from '../read/filter.ts'
import { keyFilter } from '../read/query.ts'
import { changeRoot, type PlannedChange, unchangedAnswer } from './change-root.ts'
import { planInsert, planInsertOne } from './insert.ts'
import { planAssignments, planKeyColumns } from './update.ts'

/** Plans a root field that changes rows; null if the field does something else. */
export function planMutation(planner: Planner, one: Selected): PlannedChange | null {
  const meaning = one.field?.meaning
  switch (meaning?.kind) {
    case 'insert':
      return planInsert(planner, one, meaning.table, planResponse(planner, one, meaning.table))
    case 'insertOne':
      return planInsertOne(planner, one, meaning.table, planRow(planner, one, meaning.table))
    case 'update':
      return planUpdate(planner, one, meaning.table)
    case 'updateByPk':
      return planUpdateByKey(planner, one, meaning.table)
    case 'updateMany':
      return planUpdateMany(planner, one, meaning.table)
    case 'delete': {
      const where = planFilter(planner, fieldArguments(planner, one)('where'), meaning.table)
      return planDelete(planner, meaning.table, where, planResponse(planner, one, meaning.table))
    }
    case 'deleteByPk': {
      const where = keyFilter(planner, one, meaning.table)
      return planDelete(planner, meaning.table, where, planRow(planner, one, meaning.table))
    }
    default:
      return null
  }
}

function planResponse(planner: Planner, one: Selected, table: Table): Output {
  const type = objectTypeOf(one)
  const parts = selectedFields(planner, type, one.selections, one.path).map(
    (part): ResponsePart => {
      const { as, field } = part
      if (!field) return { as, kind: 'typename', name: type.name }
      if (field.meaning.kind === 'affectedRows') return { as, kind: 'affected' }
      return { as, kind: 'returning', fields: planFields(planner, part, table) }
    },
  )
  return { kind: 'response', parts }
}

function planRow(planner: Planner, one: Selected, table: Table): Output {
  return { kind: 'row', fields: planFields(planner, one, table) }
}

function planUpdate(planner: Planner, one: Selected, table: Table): PlannedChange {
  const args = fieldArguments(planner, one)
  const where = planFilter(planner, args('where'), table)
  const operators = givenOperators(one, args)
  return planUpdateOf(
    planner,
    table,
    { where, operators, path: `${one.path}.args` },
    planResponse(planner, one, table),
  )
}

function planUpdateByKey(planner: Planner, one: Selected, table: Table): PlannedChange {
  const args = fieldArguments(planner, one)
  const where = planKeyColumns(planner, args('pk_columns'), table)
  const operators = givenOperators(one, args)
  return planUpdateOf(
    planner,
    table,
    { where, operators, path: `${one.path}.args` },
    planRow(planner, one, table),
  )
}

function planUpdateMany(planner: Planner, one: Selected, table: Table): PlannedChange {
  const output = planResponse(planner, one, table)
  const updates = listItems(planner, fieldArguments(planner, one)('updates')).map((item) => {
    const given = objectMembers(planner, item)
    const where = given.find(({ field }) => field.name === 'where')
    if (!where) throw validationError(item.path, "missing required field 'where'")
    return planUpdateOf(
      planner,
      table,
      {
        where: planFilter(planner, where.value, table),
        operators: given
          .filter(({ field }) => field.name !== 'where')
          .map(({ field, value }) => [field.name, value]),
        path: item.path,
      },
      output,
    )
  })
  const roots = updates.flatMap((update): (Root | string)[] => {
    if (update.kind === 'database') return [update.root]
    return update.kind === 'known' ? [update.text] : []
  })
  return { kind: 'databaseList', roots }
}

type Operators = readonly (readonly [string, Input])[]

function givenOperators({ field }: Selected, args: (name: string) => Input): Operators {
  const names = [...(field?.args.keys() ?? [])].filter((name) => !NOT_OPERATORS.has(name))
  return names.map((name) => [name, args(name)] as const)
}

const NOT_OPERATORS = new Set(['where', 'pk_columns'])

function planUpdateOf(
  planner: Planner,
  table: Table,
  { where, operators, path }: { where: Predicate; operators: Operators; path: string },
  output: Output,
): PlannedChange {
  const permission = planner.schema.access(table).update
  if (!permission) throw validationError(path, `the role may not update "${table.name}"`)
  const set = planAssignments(planner, operators, permission, path)
  if (set.length === 0) return { kind: 'known', text: unchangedAnswer(output) }
  const change: Change = {
    kind: 'update',
    table: { schema: table.schema, name: table.name },
    set,
    where: { kind: 'and', all: [permission.filter, where] },
    check: permission.check ?? TRUE,
  }
  return { kind: 'database', root: changeRoot(planner, change, output) }
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
    where: { kind: 'and', all: [permission.filter, where] },
  }
  return { kind: 'database', root: changeRoot(planner, change, output) }
}
