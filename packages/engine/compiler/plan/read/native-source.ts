import { validationError } from '../../../errors.ts'
import type { Field, Parameter, Shape, Source } from '../../ir/ir.ts'
import { TRUE } from '../../ir/ir.ts'
import type { NativeQuery, NativeRelationship, Table } from '../../model/model.ts'
import { type Input, isPresent, objectMember } from '../document/input.ts'
import { planParameter } from '../document/parameter.ts'
import { fieldArguments, type SelectedField } from '../document/selection-set.ts'
import type { Planner } from '../planner.ts'
import { allRows, selectPermission } from './access.ts'
import { planRows } from './rows.ts'
import { listShape } from './strategy.ts'

/** Plans a native query. Its arguments are read after the arguments that filter and sort its rows, as in Hasura. */
export function planNativeQuery(
  planner: Planner,
  selection: SelectedField,
  query: NativeQuery,
  planFields: PlanFields,
): Shape {
  const { returns } = query
  const args = fieldArguments(planner, selection)
  const rows = planRows(planner, args, returns, { kind: 'table', table: returns })
  const from = nativeSource(planner, selection, query)
  return listShape(returns, { ...rows, from }, [], planFields(planner, selection, returns))
}

type PlanFields = (planner: Planner, selection: SelectedField, table: Table) => Field[]

/** Plans the target rows of a relationship from, to or inside the rows of a native query. */
export function planNativeRelationship(
  planner: Planner,
  selection: SelectedField,
  relationship: NativeRelationship,
  planFields: PlanFields,
): Shape {
  const { kind, remote, pairs } = relationship
  const join = pairs.map(({ local, remote: target }) => ({ outer: local.name, inner: target.name }))
  const table = { kind: 'table', table: remote } as const
  const all =
    kind === 'object'
      ? allRows(planner, remote, TRUE, table)
      : planRows(planner, fieldArguments(planner, selection), remote, table)
  const rows = { ...all, from: sourceOf(planner, selection, relationship) }
  const fields = planFields(planner, selection, remote)
  return kind === 'object'
    ? { kind: 'object', rows, join, fields, isLookUp: false }
    : listShape(remote, rows, join, fields)
}

function sourceOf(
  planner: Planner,
  selection: SelectedField,
  { kind, remote, target }: NativeRelationship,
): Source {
  if (target === 'table') return { kind: 'table', table: remote }
  if ('query' in target) return nativeSource(planner, selection, target.query)
  const columns = [...remote.columns.values()].map(({ name, type }) => ({ name, type }))
  return { kind: 'nestedObjects', column: target.column.name, columns, isList: kind === 'array' }
}

function nativeSource(planner: Planner, selection: SelectedField, query: NativeQuery): Source {
  const args = fieldArguments(planner, selection)
  const member = query.args.length > 0 ? objectMember(planner, args('args')) : args
  const parameters = new Map(
    query.args.map((arg) => [arg.name, nativeParameter(planner, member(arg.name), arg)]),
  )
  const pieces = query.pieces.map((piece) => {
    if (typeof piece === 'string') return piece
    const parameter = parameters.get(piece.argument)
    if (!parameter) throw validationError(selection.path, `missing argument '${piece.argument}'`)
    return parameter
  })
  selectPermission(planner, query.returns, selection.path)
  return { kind: 'nativeQuery', pieces }
}

function nativeParameter(
  planner: Planner,
  input: Input,
  { type, nullable }: NativeQuery['args'][number],
): Parameter {
  if (!isPresent(planner, input)) {
    if (!nullable && input.kind !== 'absent')
      throw validationError(input.path, 'unexpected null value')
    return { type, read: () => null }
  }
  return planParameter(planner, input, type)
}
