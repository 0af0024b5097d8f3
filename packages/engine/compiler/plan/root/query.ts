import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { validationError } from '../../../errors.ts'
import { comparisonType } from '../../../postgres/scalars.ts'
import type { Predicate, Shape, Source } from '../../ir/ir.ts'
import type { SourceModel, Table, TrackedFunction } from '../../model/model.ts'
import { comparand } from '../document/parameter.ts'
import { fieldArguments, type SelectedField } from '../document/selection-set.ts'
import { planFields } from '../fields/fields.ts'
import type { Planner } from '../planner.ts'
import { allRows, columnScalar } from '../read/access.ts'
import { planAggregate } from '../read/aggregate.ts'
import { planFunctionCall } from '../read/function-call.ts'
import { planNativeQuery } from '../read/native-source.ts'
import { planRows } from '../read/rows.ts'
import { aggregateShape, listShape } from '../read/strategy.ts'
import { planConnection } from '../relay/connection.ts'
import { planNode } from './node.ts'

/** A read of a source: the source, and the shape of the result. */
type PlannedRead = { source: SourceModel; shape: Shape }

/** Plans a root field that reads tables, functions or native queries; null for any other field. */
export function planQuery(planner: Planner, selection: SelectedField): PlannedRead | null {
  const meaning = selection.field?.meaning
  switch (meaning?.kind) {
    case 'select':
    case 'selectAggregate':
    case 'selectByPk':
    case 'connection':
      return { source: meaning.table.source, shape: planTable(planner, selection, meaning) }
    case 'function':
    case 'functionAggregate':
      return { source: meaning.function.table.source, shape: planFunction(planner, selection) }
    case 'functionConnection': {
      const { table } = meaning.function
      const pageSource = {
        table,
        from: functionSource(planner, selection, meaning.function),
        join: [],
      }
      return {
        source: table.source,
        shape: planConnection(planner, selection, pageSource, planFields),
      }
    }
    case 'node':
      return planNode(planner, selection)
    case 'nativeQuery':
      return {
        source: meaning.query.returns.source,
        shape: planNativeQuery(planner, selection, meaning.query, planFields),
      }
    default:
      return null
  }
}

type TableMeaning = {
  kind: 'select' | 'selectAggregate' | 'selectByPk' | 'selectStream' | 'connection'
  table: Table
}

function planTable(
  planner: Planner,
  selection: SelectedField,
  { kind, table }: TableMeaning,
): Shape {
  const from = { kind: 'table', table } as const
  switch (kind) {
    case 'selectAggregate':
      return planRootAggregate(planner, selection, table, from)
    case 'selectByPk':
      return planByKey(planner, selection, table)
    case 'connection':
      return planConnection(planner, selection, { table, from, join: [] }, planFields)
    default:
      return planList(planner, selection, table, from)
  }
}

function planList(planner: Planner, selection: SelectedField, table: Table, from: Source): Shape {
  const rows = planRows(planner, fieldArguments(planner, selection), table, from)
  return listShape(table, rows, [], planFields(planner, selection, table))
}

function planRootAggregate(
  planner: Planner,
  selection: SelectedField,
  table: Table,
  from: Source,
): Shape {
  const rows = planRows(planner, fieldArguments(planner, selection), table, from)
  return aggregateShape(rows, [], planAggregate(planner, selection, table, planFields))
}

function planByKey(planner: Planner, selection: SelectedField, table: Table): Shape {
  const rows = allRows(planner, table, keyFilter(planner, selection, table), {
    kind: 'table',
    table,
  })
  return {
    kind: 'object',
    rows,
    join: [],
    fields: planFields(planner, selection, table),
    isLookUp: false,
  }
}

/** Plans the condition that the primary key equals the arguments. */
export function keyFilter(planner: Planner, selection: SelectedField, table: Table): Predicate {
  const args = fieldArguments(planner, selection)
  const operands = requireValue(table.primaryKey, 'the primary key').map(
    (column): Predicate => ({
      kind: 'compare',
      operator: '_eq',
      left: columnScalar(planner, table, column),
      right: comparand(planner, args(column.field), comparisonType(column.type)),
    }),
  )
  return { kind: 'and', operands }
}

function planFunction(planner: Planner, selection: SelectedField): Shape {
  const meaning = selection.field?.meaning
  if (meaning?.kind !== 'function' && meaning?.kind !== 'functionAggregate')
    throw validationError(selection.path, 'the field is not a function')
  const { function: trackedFunction } = meaning
  const args = fieldArguments(planner, selection)
  const from = functionSource(planner, selection, trackedFunction)
  if (meaning.kind === 'functionAggregate')
    return planRootAggregate(planner, selection, trackedFunction.table, from)
  if (trackedFunction.returnsSet) return planList(planner, selection, trackedFunction.table, from)
  return {
    kind: 'object',
    rows: planRows(planner, args, trackedFunction.table, from),
    join: [],
    fields: planFields(planner, selection, trackedFunction.table),
    isLookUp: false,
  }
}

function functionSource(
  planner: Planner,
  selection: SelectedField,
  trackedFunction: TrackedFunction,
): Source {
  const args = fieldArguments(planner, selection)
  const call = planFunctionCall(
    planner,
    trackedFunction,
    selection.field?.args.has('args') ? args('args') : null,
  )
  return { kind: 'function', call }
}
