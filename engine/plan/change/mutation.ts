import {
  type Change,
  type Output,
  type Predicate,
  type ResponsePart,
  type Root,
  TRUE,
} from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, items, members } from '../document/input.ts'
import { argumentsOf, objectOf, type Selected, selected } from '../document/selection-set.ts'
import { invalid, type Planner } from '../planner.ts'
import { planFields } from '../read/fields.ts'
import { planFilter } from '../read/filter.ts'
import { keyFilter } from '../read/query.ts'
import { nothingChanged, type PlannedChange, seesNewState } from './change.ts'
import { planInsert, planInsertOne } from './insert.ts'
import { planKey, planSet } from './update.ts'

/** A root field that changes rows. Null when the field does something else. */
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
      const where = planFilter(planner, argumentsOf(planner, one)('where'), meaning.table)
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
  const type = objectOf(one)
  const parts = selected(planner, type, one.selections, one.path).map((part): ResponsePart => {
    const { as, field } = part
    if (!field) return { as, kind: 'typename', name: type.name }
    if (field.meaning.kind === 'affectedRows') return { as, kind: 'affected' }
    return { as, kind: 'returning', fields: planFields(planner, part, table) }
  })
  return { kind: 'response', parts }
}

function planRow(planner: Planner, one: Selected, table: Table): Output {
  return { kind: 'row', fields: planFields(planner, one, table) }
}

function planUpdate(planner: Planner, one: Selected, table: Table): PlannedChange {
  const args = argumentsOf(planner, one)
  const where = planFilter(planner, args('where'), table)
  const operators = operatorsOf(one, args)
  return updateOf(
    planner,
    table,
    { where, operators, path: `${one.path}.args` },
    planResponse(planner, one, table),
  )
}

function planUpdateByKey(planner: Planner, one: Selected, table: Table): PlannedChange {
  const args = argumentsOf(planner, one)
  const where = planKey(planner, args('pk_columns'), table)
  const operators = operatorsOf(one, args)
  return updateOf(
    planner,
    table,
    { where, operators, path: `${one.path}.args` },
    planRow(planner, one, table),
  )
}

function planUpdateMany(planner: Planner, one: Selected, table: Table): PlannedChange {
  const output = planResponse(planner, one, table)
  const updates = items(planner, argumentsOf(planner, one)('updates')).map((item) => {
    const given = members(planner, item)
    const where = given.find(({ field }) => field.name === 'where')
    if (!where) throw invalid(item.path, "missing required field 'where'")
    return updateOf(
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

function operatorsOf({ field }: Selected, args: (name: string) => Input): Operators {
  const names = [...(field?.args.keys() ?? [])].filter((name) => !NOT_OPERATORS.has(name))
  return names.map((name) => [name, args(name)] as const)
}

const NOT_OPERATORS = new Set(['where', 'pk_columns'])

function updateOf(
  planner: Planner,
  table: Table,
  { where, operators, path }: { where: Predicate; operators: Operators; path: string },
  output: Output,
): PlannedChange {
  const permission = planner.schema.access(table).update
  if (!permission) throw invalid(path, `the role may not update "${table.name}"`)
  const set = planSet(planner, operators, permission, path)
  if (set.length === 0) return { kind: 'known', text: nothingChanged(output) }
  const change: Change = {
    kind: 'update',
    table: { schema: table.schema, name: table.name },
    set,
    where: { kind: 'and', all: [permission.filter, where] },
    check: permission.check ?? TRUE,
  }
  return { kind: 'database', root: seesNewState(planner, change, output) }
}

function planDelete(
  planner: Planner,
  table: Table,
  where: Predicate,
  output: Output,
): PlannedChange {
  const permission = planner.schema.access(table).delete
  if (!permission) throw invalid('$', `the role may not delete from "${table.name}"`)
  const change: Change = {
    kind: 'delete',
    table: { schema: table.schema, name: table.name },
    where: { kind: 'and', all: [permission.filter, where] },
  }
  return { kind: 'database', root: seesNewState(planner, change, output) }
}
