import type { Column, ComputedField, Table } from '../../model/model.ts'
import { builtIn } from '../../postgres/scalars.ts'
import { builtInScalar, type Context, valueType } from '../context.ts'
import {
  byName,
  type Field,
  field,
  input,
  listOf,
  type ObjectType,
  required,
} from '../graphql-types.ts'
import { COMPARED, type Fold, foldable, NUMERIC } from './folds.ts'
import { computedArguments } from './function-fields.ts'
import { keyText } from './key-text.ts'
import { selectColumns } from './select-columns.ts'

/** `G_aggregate`: numbers over rows, and the rows. */
export function aggregateType(ctx: Context, table: Table, row: ObjectType): ObjectType {
  const name = table.graphqlName
  return ctx.object(`${name}_aggregate`, `aggregated selection of "${keyText(table)}"`, () =>
    byName([
      field('aggregate', numbersType(ctx, table), { kind: 'aggregate' }),
      field('nodes', required(listOf(row)), { kind: 'nodes' }),
    ]),
  )
}

function numbersType(ctx: Context, table: Table): ObjectType {
  const name = table.graphqlName
  return ctx.object(`${name}_aggregate_fields`, `aggregate fields of "${keyText(table)}"`, () => {
    const select = ctx.access(table).select
    const scalars = [...(select?.columns.keys() ?? []), ...(select?.computedFields.keys() ?? [])]
    const folds = [...COMPARED, ...NUMERIC].flatMap((fold) => {
      const members = scalars.flatMap((column) => member(ctx, fold, { table, column }) ?? [])
      if (members.length === 0) return []
      const type = ctx.object(`${name}_${fold}_fields`, `aggregate ${fold} on columns`, () =>
        byName(members),
      )
      return [field(fold, type, { kind: 'fold', function: fold })]
    })
    const columns = selectColumns(ctx, table)
    const args = [
      ...(columns ? [input('columns', listOf(columns))] : []),
      input('distinct', builtInScalar(ctx, 'Boolean')),
    ]
    return byName([
      field('count', required(builtInScalar(ctx, 'Int')), { kind: 'count' }, { args }),
      ...folds,
    ])
  })
}

type Member = { table: Table; column: Column | ComputedField }

function member(ctx: Context, fold: Fold, { table, column }: Member): Field | null {
  const of = 'returns' in column ? column.returns : { kind: 'scalar' as const, ...column }
  if (of.kind !== 'scalar' || !foldable(fold, of)) return null
  const keepsType = fold === 'sum' || fold === 'max' || fold === 'min'
  const type = keepsType ? of : { type: builtIn('float4'), enumType: null }
  const description = 'returns' in column ? column.databaseComment : column.comment
  const args = 'returns' in column ? computedArguments(ctx, table, column) : []
  return field(
    column.field,
    valueType(ctx, type),
    { kind: 'folded', column },
    { description, args },
  )
}
