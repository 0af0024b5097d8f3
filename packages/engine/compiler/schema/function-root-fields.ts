import type { SourceModel, TrackedFunction } from '../model/model.ts'
import { type Field, listType, objectField, requiredType } from './graphql-types.ts'
import type { SchemaContext } from './schema-context.ts'
import { aggregateType } from './types/aggregate-types.ts'
import { functionArguments, mayCall } from './types/function-fields.ts'
import { nameForDescription } from './types/name-for-description.ts'
import { nativeQueryArguments } from './types/native-fields.ts'
import { rowType } from './types/row-type.ts'
import { rowsArguments } from './types/rows-arguments.ts'

/** Returns the root fields of a function; none if the role may not call it. */
export function functionFields(ctx: SchemaContext, trackedFunction: TrackedFunction): Field[] {
  const { table, returnsSet: set, field: name } = trackedFunction
  const { select } = ctx.access(table)
  if (!select || !mayCall(ctx, trackedFunction)) return []
  const argumentsOf = (field: string) => [
    ...functionArguments(ctx, trackedFunction.args, {
      typeName: trackedFunction.argsType,
      of: `function "${field}"`,
    }),
    ...rowsArguments(ctx, table),
  ]
  const row = rowType(ctx, table)
  const text = nameForDescription(trackedFunction)
  const rows = objectField(
    name,
    set ? requiredType(listType(row)) : row,
    { kind: 'function', function: trackedFunction },
    {
      args: argumentsOf(name),
      description:
        trackedFunction.exposedAs === 'query'
          ? (trackedFunction.comment ??
            `execute function "${text}" which returns "${nameForDescription(table)}"`)
          : `execute VOLATILE function "${text}" which returns "${nameForDescription(table)}"`,
    },
  )
  if (!select.allowsAggregations || trackedFunction.exposedAs === 'mutation') return [rows]
  const aggregate = requiredType(aggregateType(ctx, table, row))
  const meaning = { kind: 'functionAggregate', function: trackedFunction } as const
  const description = `execute function "${text}" and query aggregates on result of table type "${nameForDescription(table)}"`
  const args = argumentsOf(trackedFunction.aggregateField)
  return [
    rows,
    objectField(trackedFunction.aggregateField, aggregate, meaning, { args, description }),
  ]
}

/** Returns the root fields for a source's native queries that return rows which the role may read. */
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
