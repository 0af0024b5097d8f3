import type { SourceModel, TrackedFunction } from '../model/model.ts'
import { type Field, listType, objectField, requiredType } from './graphql-types.ts'
import type { SchemaContext } from './schema-context.ts'
import { aggregateType } from './types/aggregate-types.ts'
import { describedName } from './types/described-name.ts'
import { functionArguments, mayCall } from './types/function-fields.ts'
import { nativeQueryArguments } from './types/native-fields.ts'
import { rowType } from './types/row-type.ts'
import { rowsArguments } from './types/rows-arguments.ts'

/** Root fields of a function, where the role may call it. */
export function functionFields(ctx: SchemaContext, tracked: TrackedFunction): Field[] {
  const { table, returnsSet: set, field: name } = tracked
  const { select } = ctx.access(table)
  if (!select || !mayCall(ctx, tracked)) return []
  const argumentsOf = (field: string) => [
    ...functionArguments(ctx, tracked.args, {
      typeName: tracked.argsType,
      of: `function "${field}"`,
    }),
    ...rowsArguments(ctx, table),
  ]
  const row = rowType(ctx, table)
  const text = describedName(tracked)
  const rows = objectField(
    name,
    set ? requiredType(listType(row)) : row,
    { kind: 'function', function: tracked },
    {
      args: argumentsOf(name),
      description:
        tracked.exposedAs === 'query'
          ? (tracked.comment ??
            `execute function "${text}" which returns "${describedName(table)}"`)
          : `execute VOLATILE function "${text}" which returns "${describedName(table)}"`,
    },
  )
  if (!select.allowsAggregations || tracked.exposedAs === 'mutation') return [rows]
  const aggregate = requiredType(aggregateType(ctx, table, row))
  const meaning = { kind: 'functionAggregate', function: tracked } as const
  const description = `execute function "${text}" and query aggregates on result of table type "${describedName(table)}"`
  const args = argumentsOf(tracked.aggregateField)
  return [rows, objectField(tracked.aggregateField, aggregate, meaning, { args, description })]
}

/** Root fields of the native queries of a source whose rows the role may read. */
export function nativeQueryFields(ctx: SchemaContext, source: SourceModel): Field[] {
  return source.nativeQueries
    .filter(({ returns }) => ctx.access(returns).select)
    .map((query) =>
      objectField(
        query.field,
        requiredType(listType(rowType(ctx, query.returns))),
        { kind: 'nativeQuery', query },
        { args: [...nativeQueryArguments(ctx, query), ...rowsArguments(ctx, query.returns)] },
      ),
    )
}
