import { requireValue } from '../../../../../lib/runtime/require-value.ts'
import { validationError } from '../../../errors.ts'
import { comparisonType } from '../../../postgres/scalars.ts'
import type {
  Connection,
  ConnectionPart,
  EdgePart,
  Field,
  Join,
  JsonMember,
  PagePart,
  Source,
} from '../../ir/ir.ts'
import type { Table } from '../../model/model.ts'
import { type Input, isPresent } from '../document/input.ts'
import { planLimit } from '../document/row-limits.ts'
import {
  fieldArguments,
  objectTypeOf,
  readFields,
  type SelectedField,
} from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import type { CursorOrder } from '../read/order.ts'
import { planSortedRows } from '../read/rows.ts'
import { connectionShape } from '../read/strategy.ts'
import { planSplit } from './cursor.ts'

/** The function that plans the fields of an edge's node. */
type PlanFields = (planner: Planner, parent: SelectedField, table: Table) => Field[]

type PageSource = { table: Table; from: Source; join: Join }

/** Plans a field that reads rows in pages. */
export function planConnection(
  planner: Planner,
  selection: SelectedField,
  { table, from, join }: PageSource,
  planFields: PlanFields,
): Connection {
  const args = fieldArguments(planner, selection)
  const tieBreakers = keyOrder(table)
  const { rows, sorted } = planSortedRows(planner, args, { table, from, tieBreakers })
  const split = planSplit(planner, selection, { sorted, table })
  const slice = planSlice(planner, args, `${selection.path}.args`)
  const cursor = { kind: 'object', members: sorted.map(cursorMember) } as const
  const parts = planParts(planner, selection, table, planFields)
  return connectionShape(table, { rows, join, cursor, split, slice, parts })
}

/** Returns the order of the primary key, in which no two rows are equal. */
function keyOrder({ primaryKey }: Table): CursorOrder[] {
  return requireValue(primaryKey, 'the primary key').map(({ name, type }) => ({
    by: { kind: 'column', name, of: 'row' },
    direction: 'asc',
    nulls: 'last',
    cursorPath: [name],
    type: comparisonType(type),
  }))
}

function planSlice(
  planner: Planner,
  args: (name: string) => Input,
  path: string,
): Connection['slice'] {
  const [first, last] = [args('first'), args('last')]
  const [start, end] = [planLimit(planner, first), planLimit(planner, last)]
  if (isPresent(planner, first) && isPresent(planner, last))
    throw validationError(path, '"first" and "last" are not allowed at once')
  if (start !== null) return { of: 'start', count: start }
  return end === null ? null : { of: 'end', count: end }
}

/**
 * Creates the member of the cursor for an expression of the order. Each further key of its path becomes an object inside
 * the value: `{"author": {"name": …}}`.
 */
function cursorMember({ by, cursorPath: place }: CursorOrder): JsonMember {
  const [key = '', ...names] = place
  return {
    key,
    value: names.reduceRight<JsonMember['value']>(
      (value, name) => ({ kind: 'object', members: [{ key: name, value }] }),
      { kind: 'value', of: by },
    ),
  }
}

function planParts(
  planner: Planner,
  selection: SelectedField,
  table: Table,
  planFields: PlanFields,
): ConnectionPart[] {
  const type = objectTypeOf(selection)
  return readFields(planner, { ...selection, type }, (part): ConnectionPart => {
    const { as, field } = part
    if (!field) return { as, kind: 'typename', name: type.name }
    if (field.meaning.kind === 'pageInfo')
      return { as, kind: 'pageInfo', parts: planPageInfo(planner, part) }
    return { as, kind: 'edges', parts: planEdges(planner, part, table, planFields) }
  })
}

function planPageInfo(planner: Planner, selection: SelectedField): PagePart[] {
  const type = objectTypeOf(selection)
  return readFields(planner, { ...selection, type }, ({ as, field }): PagePart => {
    if (field?.meaning.kind !== 'pageFact') return { as, kind: 'typename', name: type.name }
    return { as, kind: 'fact', fact: field.meaning.fact }
  })
}

function planEdges(
  planner: Planner,
  selection: SelectedField,
  table: Table,
  planFields: PlanFields,
): EdgePart[] {
  const type = objectTypeOf(selection)
  return readFields(planner, { ...selection, type }, (part): EdgePart => {
    const { as, field } = part
    if (!field) return { as, kind: 'typename', name: type.name }
    if (field.meaning.kind === 'cursor') return { as, kind: 'cursor' }
    return { as, kind: 'node', fields: planFields(planner, part, table) }
  })
}
