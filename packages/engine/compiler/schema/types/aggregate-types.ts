import { builtInType } from '../../../postgres/scalars.ts'
import type { Column, ComputedField, Table } from '../../model/model.ts'
import {
  type Field,
  fieldsByName,
  inputField,
  listType,
  type ObjectType,
  objectField,
  requiredType,
} from '../graphql-types.ts'
import { builtInScalar, type SchemaContext, valueType } from '../schema-context.ts'
import {
  type AggregateFunction,
  canAggregate,
  NUMERIC_AGGREGATES,
  ORDERED_AGGREGATES,
} from './aggregate-functions.ts'
import { computedArguments, computedDescription, mayCall } from './function-fields.ts'
import { nameForDescription } from './name-for-description.ts'
import { selectColumns } from './select-columns.ts'

/**
 * Builds `<table>_aggregate`: aggregates over rows, and the rows themselves (`nodes`). The type is shared with the
 * functions that return the table. It has a description only if the table's own field comes first by name, as in
 * Hasura.
 */
export function aggregateType(ctx: SchemaContext, table: Table, row: ObjectType): ObjectType {
  const name = ctx.naming.type(table.baseName, 'aggregate')
  const tableField = table.rootFields.get('select_aggregate')?.name ?? name
  const comesFirst = table.source.functions.some(
    (f) =>
      f.exposedAs === 'query' &&
      f.table === table &&
      f.aggregateField < tableField &&
      mayCall(ctx, f),
  )
  const description = comesFirst ? null : `aggregated selection of "${nameForDescription(table)}"`
  return ctx.object(name, description, () =>
    fieldsByName([
      objectField('aggregate', numbersType(ctx, table), { kind: 'aggregate' }),
      objectField('nodes', requiredType(listType(row)), { kind: 'nodes' }),
    ]),
  )
}

function numbersType(ctx: SchemaContext, table: Table): ObjectType {
  const { naming } = ctx
  return ctx.object(
    naming.type(table.baseName, 'aggregate_fields'),
    `aggregate fields of "${nameForDescription(table)}"`,
    () => {
      const select = ctx.access(table).select
      const scalars = [...(select?.columns.keys() ?? []), ...(select?.computedFields.keys() ?? [])]
      const aggregates = [...ORDERED_AGGREGATES, ...NUMERIC_AGGREGATES].flatMap((aggregate) => {
        const members = scalars.flatMap(
          (column) => aggregatedField(ctx, aggregate, { table, column }) ?? [],
        )
        if (members.length === 0) return []
        const name = naming.field(aggregate)
        const type = ctx.object(
          naming.type(table.baseName, `${aggregate}_fields`),
          `aggregate ${name} on columns`,
          () => fieldsByName(members),
        )
        return [objectField(name, type, { kind: 'aggregateFunction', function: aggregate })]
      })
      const columns = selectColumns(ctx, table)
      const args = [
        ...(columns ? [inputField('columns', listType(columns))] : []),
        inputField('distinct', builtInScalar(ctx, 'Boolean')),
      ]
      return fieldsByName([
        objectField('count', requiredType(builtInScalar(ctx, 'Int')), { kind: 'count' }, { args }),
        ...aggregates,
      ])
    },
  )
}

/**
 * The aggregates of a column that have the column's type. The other aggregates of a column are floats. All aggregates
 * of a computed field have the field's type.
 */
const KEEP_TYPE: ReadonlySet<AggregateFunction> = new Set(['sum', 'max', 'min'])

type Member = { table: Table; column: Column | ComputedField }

function aggregatedField(
  ctx: SchemaContext,
  aggregate: AggregateFunction,
  { table, column }: Member,
): Field | null {
  const of = 'returns' in column ? column.returns : { kind: 'scalar' as const, ...column }
  if (of.kind !== 'scalar' || !canAggregate(aggregate, of)) return null
  const keepsType = 'returns' in column || KEEP_TYPE.has(aggregate)
  const type = keepsType ? of : { type: builtInType('float4'), enumType: null }
  const description = 'returns' in column ? computedDescription(column) : column.comment
  const args = 'returns' in column ? computedArguments(ctx, table, column) : []
  return objectField(
    column.field,
    valueType(ctx, type),
    { kind: 'aggregatedColumn', column },
    { description, args },
  )
}
