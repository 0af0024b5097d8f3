import type { PgType } from '../catalog.ts'
import { permitted } from './access.ts'
import { planFields } from './fields.ts'
import { planOptionalFilter } from './filter.ts'
import { enumName, isGiven, items, members } from './input.ts'
import type { Parameter, Shape } from './ir.ts'
import { limitOf, parameter } from './leaf.ts'
import { invalid, type Planner } from './planner.ts'
import { argumentsOf, type Selected } from './selection-set.ts'

/** `G_stream`: rows after a cursor that moves on with each batch. */
export type Stream = {
  shape: Extract<Shape, { kind: 'many' }>
  /** Where the stream is: the parameter that a poller replaces after each batch. */
  cursor: Parameter
  column: { name: string; type: PgType }
  direction: 'asc' | 'desc'
}

/** A root field that streams. Null when the field does something else. */
export function planStream(planner: Planner, one: Selected): Stream | null {
  const meaning = one.field?.meaning
  if (meaning?.is !== 'selectStream') return null
  const { table } = meaning
  const args = argumentsOf(planner, one)
  const cursors = items(planner, args('cursor')).filter((item) => isGiven(planner, item))
  const [only] = cursors
  if (!only || cursors.length > 1)
    throw invalid(args('cursor').path, 'one streaming column field is expected')
  const given = new Map(members(planner, only).map(({ field, value }) => [field.name, value]))
  const initial = given.get('initial_value')
  const [value, second] = initial ? members(planner, initial) : []
  if (value?.field.meaning.is !== 'column' || second)
    throw invalid(only.path, 'multiple column cursors are not supported yet')
  const { column } = value.field.meaning
  const ordering = given.get('ordering')
  const direction = ordering && enumName(planner, ordering) === 'DESC' ? 'desc' : 'asc'
  const cursor = parameter(planner, value.value, column.type)
  const left = { kind: 'column', name: column.name, of: 'row' } as const
  const permission = permitted(planner, table, one.path)
  return {
    cursor,
    column,
    direction,
    shape: {
      kind: 'many',
      join: [],
      rows: {
        from: { kind: 'table', table },
        where: {
          kind: 'and',
          all: [
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
        limit: limitOf(planner, args('batch_size')),
        ties: true,
        offset: null,
        cap: null,
      },
      fields: planFields(planner, one, table),
    },
  }
}
