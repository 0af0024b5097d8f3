import { scalarOf } from '../../../postgres/scalars.ts'
import type { AggregatePart, Field, NumberPart, Scalar } from '../../ir/ir.ts'
import type { Column, ComputedField, Table } from '../../model/model.ts'
import { type Input, readItems } from '../document/input.ts'
import { readFlag } from '../document/parameter.ts'
import {
  fieldArguments,
  objectTypeOf,
  readFields,
  type SelectedField,
} from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import {
  aggregateName,
  columnByEnum,
  columnScalar,
  maskedScalar,
  selectPermission,
} from './access.ts'
import { planFunctionCall } from './function-call.ts'

/**
 * The function that plans the fields of rows. It is passed as an argument, because it itself plans aggregates and
 * relationships, and so imports this file.
 */
export type PlanFields = (planner: Planner, parent: SelectedField, table: Table) => Field[]

/** Plans the fields of an aggregate: numbers, and the rows themselves (`nodes`). */
export function planAggregate(
  planner: Planner,
  selection: SelectedField,
  table: Table,
  planFields: PlanFields,
): AggregatePart[] {
  const type = objectTypeOf(selection)
  return readFields(planner, { ...selection, type }, (part): AggregatePart => {
    const { as, field } = part
    if (!field) return { as, kind: 'typename', name: type.name }
    if (field.meaning.kind === 'nodes')
      return { as, kind: 'nodes', fields: planFields(planner, part, table) }
    return { as, kind: 'numbers', numbers: planNumbers(planner, part, table) }
  })
}

function planNumbers(planner: Planner, selection: SelectedField, table: Table): NumberPart[] {
  const type = objectTypeOf(selection)
  return readFields(planner, { ...selection, type }, (part): NumberPart => {
    const { as, field } = part
    if (!field) return { as, kind: 'typename', name: type.name }
    if (field.meaning.kind === 'aggregateFunction')
      return { as, kind: 'group', numbers: planGroup(planner, part, table, field.meaning.function) }
    return { as, ...planCount(planner, part, table) }
  })
}

function planCount(
  planner: Planner,
  selection: SelectedField,
  table: Table,
): Omit<Extract<NumberPart, { kind: 'aggregate' }>, 'as'> {
  const args = fieldArguments(planner, selection)
  const columns = args('columns')
  const values =
    columns.kind === 'absent' ? null : readItems(planner, columns, (item) => columnOf(item))
  const distinct = readFlag(planner, args('distinct'), false) && values !== null
  return {
    kind: 'aggregate',
    // SQL has no count(a, b), but it has count((a, b)).
    call: {
      function: 'count',
      arguments: values && values.length > 1 ? [{ kind: 'row', of: values }] : values,
      distinct,
      filter: null,
    },
    text: false,
  }

  function columnOf(item: Input): Scalar {
    return columnScalar(planner, table, columnByEnum(planner, item, table))
  }
}

function planGroup(
  planner: Planner,
  selection: SelectedField,
  table: Table,
  name: string,
): NumberPart[] {
  const type = objectTypeOf(selection)
  return readFields(planner, { ...selection, type }, (part): NumberPart => {
    const { as, field } = part
    if (field?.meaning.kind !== 'aggregatedColumn') return { as, kind: 'typename', name: type.name }
    const { column } = field.meaning
    const value = aggregatedScalar(planner, part, { table, column })
    const call = {
      function: aggregateName(table, name),
      arguments: [value],
      distinct: false,
      filter: null,
    }
    return { as, kind: 'aggregate', call, text: isReturnedAsText(planner, column) }
  })
}

type AggregatedColumn = { table: Table; column: Column | ComputedField }

function aggregatedScalar(
  planner: Planner,
  selection: SelectedField,
  { table, column }: AggregatedColumn,
): Scalar {
  if (!('returns' in column)) return columnScalar(planner, table, column)
  const mask = selectPermission(planner, table, '$').computedFields.get(column)
  const args = fieldArguments(planner, selection)
  const call = planFunctionCall(
    planner,
    column,
    selection.field?.args.has('args') ? args('args') : null,
  )
  return maskedScalar({ kind: 'call', call }, mask)
}

/**
 * Reports whether an aggregate of a column is returned as text. This depends on the type of the column, not of the
 * aggregate.
 */
function isReturnedAsText({ schema }: Planner, column: Column | ComputedField): boolean {
  const of = 'returns' in column ? column.returns : column
  if (!schema.model.settings.stringifyNumericTypes || !('type' in of)) return false
  return of.type.element === null && scalarOf(of.type).isWide
}
