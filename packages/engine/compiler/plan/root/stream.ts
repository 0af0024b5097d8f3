import { validationError } from '../../../errors.ts'
import type { PgType } from '../../../postgres/catalog.ts'
import type { List, Parameter } from '../../ir/ir.ts'
import type { Column, SourceModel } from '../../model/model.ts'
import type { Naming } from '../../model/naming.ts'
import {
  enumName,
  type Input,
  isPresent,
  objectMember,
  readItems,
  readMembers,
} from '../document/input.ts'
import { comparand, planParameter } from '../document/parameter.ts'
import { planLimit } from '../document/row-limits.ts'
import { fieldArguments, type SelectedField } from '../document/selection-set.ts'
import { planFields } from '../fields/fields.ts'
import type { Planner } from '../planner.ts'
import { columnScalar, selectPermission } from '../read/access.ts'
import { planOptionalFilter } from '../read/filter.ts'

/** `<table>_stream`: rows after a cursor that advances with each batch. */
export type Stream = {
  source: SourceModel
  shape: List
  /** The position of the stream: the parameter that a poller replaces after each batch. */
  cursor: Parameter
  column: { name: string; type: PgType }
  direction: 'asc' | 'desc'
}

/** Plans a root field that streams; null for any other field. */
export function planStream(planner: Planner, selection: SelectedField): Stream | null {
  const meaning = selection.field?.meaning
  if (meaning?.kind !== 'selectStream') return null
  const { table } = meaning
  const { naming } = table.source
  const args = fieldArguments(planner, selection)
  const { column, value, direction } = planCursor(planner, args('cursor'), {
    naming,
    path: `${selection.path}.args`,
  })
  if (!column.nullable) comparand(planner, value, column.type)
  const cursor = planParameter(planner, value, column.type)
  const left = columnScalar(planner, table, column)
  const permission = selectPermission(planner, table, selection.path)
  return {
    source: table.source,
    cursor,
    column,
    direction,
    shape: {
      kind: 'list',
      join: [],
      rows: {
        from: { kind: 'table', table },
        where: {
          kind: 'and',
          operands: [
            permission.filter,
            {
              kind: 'compare',
              operator: direction === 'asc' ? '_gt' : '_lt',
              left,
              right: { kind: 'parameter', parameter: cursor },
            },
            planOptionalFilter(planner, args('where'), table),
          ],
        },
        order: [{ by: left, direction, nulls: 'last' }],
        distinctOn: [],
        limit: planLimit(planner, args(naming.field('batch_size'))),
        ties: true,
        offset: null,
        cap: null,
      },
      fields: planFields(planner, selection, table),
      joinsLookUps: false,
    },
  }
}

type Cursor = { column: Column; value: Input; direction: 'asc' | 'desc' }

/** Reads the column that the stream follows, the initial value, and the direction. */
function planCursor(
  planner: Planner,
  input: Input,
  { naming, path }: { naming: Naming; path: string },
): Cursor {
  const [cursor, second] = readItems(planner, input, (item) =>
    isPresent(planner, item) ? cursorColumns(planner, item, naming) : [],
  ).flat()
  if (!cursor) throw validationError(path, 'one streaming column field is expected')
  if (second) throw validationError(path, 'multiple column cursors are not supported yet')
  return cursor
}

function cursorColumns(planner: Planner, item: Input, naming: Naming): Cursor[] {
  const member = objectMember(planner, item)
  const columns = readMembers(
    planner,
    member(naming.field('initial_value')),
    (columnMember) => columnMember,
  )
  const ordering = member('ordering')
  const isDescending = ordering.kind !== 'absent' && enumName(planner, ordering) === 'DESC'
  const direction = isDescending ? 'desc' : 'asc'
  return columns.flatMap(({ field: { meaning }, value }) =>
    meaning.kind === 'column' ? [{ column: meaning.column, value, direction }] : [],
  )
}
