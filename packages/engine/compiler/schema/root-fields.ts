import type { Column, RootFieldKind, SelectPermission, Table } from '../model/model.ts'
import { isRootFieldOffered } from '../model/root-names.ts'
import {
  type Field,
  type InputField,
  listType,
  objectField,
  requiredType,
  type TypeRef,
} from './graphql-types.ts'
import { builtInScalar, type SchemaContext } from './schema-context.ts'
import { aggregateType } from './types/aggregate-types.ts'
import { keyArguments } from './types/mutation-types.ts'
import { nameForDescription } from './types/name-for-description.ts'
import { rowType } from './types/row-type.ts'
import { rowsArguments } from './types/rows-arguments.ts'
import { streamArguments } from './types/stream-types.ts'

/** Returns the root fields that read a table. */
export function queryFields(ctx: SchemaContext, table: Table): Field[] {
  const { select } = ctx.access(table)
  if (!select) return []
  const row = rowType(ctx, table)
  const args = rowsArguments(ctx, table)
  const text = nameForDescription(table)
  const rows = tableRootField(table, 'select', requiredType(listType(row)), {
    meaning: { kind: 'select', table },
    args,
    description: `fetch data from the table: "${text}"`,
  })
  const aggregate = tableRootField(
    table,
    'select_aggregate',
    requiredType(aggregateType(ctx, table, row)),
    {
      meaning: { kind: 'selectAggregate', table },
      args,
      description: `fetch aggregated fields from the table: "${text}"`,
    },
  )
  const key = visibleKey(table, select)
  const byKey = key && [
    tableRootField(table, 'select_by_pk', row, {
      meaning: { kind: 'selectByPk', table },
      args: keyArguments(ctx, key),
      description: `fetch data from the table: "${text}" using primary key columns`,
    }),
  ]
  return [rows, ...(select.allowsAggregations ? [aggregate] : []), ...(byKey ?? [])]
}

/** Returns the root fields that stream a table's rows, for subscriptions only. */
export function streamFields(ctx: SchemaContext, table: Table): Field[] {
  const { select } = ctx.access(table)
  if (!select || select.columns.size === 0 || !isOffered(ctx, 'select_stream')) return []
  const type = requiredType(listType(rowType(ctx, table)))
  return [
    tableRootField(table, 'select_stream', type, {
      meaning: { kind: 'selectStream', table },
      args: streamArguments(ctx, table),
      description: `fetch data from the table in a streaming manner: "${nameForDescription(table)}"`,
    }),
  ]
}

/** Reports whether the schema has root fields of a kind. */
export function isOffered({ model }: SchemaContext, kind: RootFieldKind): boolean {
  return isRootFieldOffered(model.settings.experimentalFeatures, kind)
}

/** Creates a root field of a table, with its configured name and comment. */
export function tableRootField(
  table: Table,
  kind: RootFieldKind,
  type: TypeRef,
  defaults: { meaning: Field['meaning']; args: readonly InputField[]; description: string },
): Field {
  const configuration = table.rootFields.get(kind)
  const description = configuration?.comment ?? defaults.description
  return objectField(configuration?.name ?? table.rowType, type, defaults.meaning, {
    args: defaults.args,
    description: description === '' ? null : description,
  })
}

/** Returns the primary key if the role may read all of its columns; null otherwise. */
export function visibleKey(table: Table, { columns }: SelectPermission): readonly Column[] | null {
  return table.primaryKey?.every((column) => columns.has(column)) ? table.primaryKey : null
}

/** Creates the only field of a query root that would be empty without it. */
export function nothingField(ctx: SchemaContext): Field {
  return objectField(
    'no_queries_available',
    requiredType(builtInScalar(ctx, 'String')),
    { kind: 'nothing' },
    { description: NOTHING },
  )
}

/** The description and the value of the field of an empty root. */
export const NOTHING =
  "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions."
