import type {
  Column,
  RootFieldKind,
  SelectPermission,
  Table,
  TrackedFunction,
} from '../model/model.ts'
import { offers } from '../model/root-names.ts'
import { ADMIN } from '../session/session.ts'
import {
  type Field,
  fieldsByName,
  type InputField,
  inputField,
  listType,
  type ObjectType,
  objectField,
  requiredType,
  type TypeRef,
} from './graphql-types.ts'
import { builtInScalar, type SchemaContext, valueType } from './schema-context.ts'
import { aggregateType } from './types/aggregate-types.ts'
import { describedName } from './types/described-name.ts'
import { filterType } from './types/filter-types.ts'
import { functionArguments } from './types/function-fields.ts'
import {
  insertType,
  keyArguments,
  keyType,
  onConflictArgument,
  responseType,
  updateOperators,
  updatesType,
} from './types/mutation-types.ts'
import { rowType } from './types/row-type.ts'
import { rowsArguments } from './types/rows-arguments.ts'
import { streamArguments } from './types/stream-types.ts'

/** Root fields that read a table. */
export function queryFields(ctx: SchemaContext, table: Table): Field[] {
  const { select } = ctx.access(table)
  if (!select) return []
  const row = rowType(ctx, table)
  const args = rowsArguments(ctx, table)
  const text = describedName(table)
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
  return [rows, ...(select.aggregations ? [aggregate] : []), ...(byKey ?? [])]
}

/** Root fields that stream a table's rows, for subscriptions only. */
export function streamFields(ctx: SchemaContext, table: Table): Field[] {
  if (!ctx.access(table).select || !isOffered(ctx, 'select_stream')) return []
  const type = requiredType(listType(rowType(ctx, table)))
  return [
    tableRootField(table, 'select_stream', type, {
      meaning: { kind: 'selectStream', table },
      args: streamArguments(ctx, table),
      description: `fetch data from the table in a streaming manner: "${describedName(table)}"`,
    }),
  ]
}

/** Root fields that change a table. */
export function mutationFields(ctx: SchemaContext, table: Table): Field[] {
  return [...insertFields(ctx, table), ...updateFields(ctx, table), ...deleteFields(ctx, table)]
}

function insertFields(ctx: SchemaContext, table: Table): Field[] {
  const { insert, select } = ctx.access(table)
  if (!insert || !table.insertable) return []
  const object = requiredType(insertType(ctx, table))
  const conflict = onConflictArgument(ctx, table)
  const describe = (description: string) => ({ description })
  const many = tableRootField(table, 'insert', responseType(ctx, table), {
    meaning: { kind: 'insert', table },
    args: [
      inputField(
        'objects',
        requiredType(listType(object)),
        { kind: 'plain' },
        describe('the rows to be inserted'),
      ),
      ...conflict,
    ],
    description: `insert data into the table: "${describedName(table)}"`,
  })
  if (!select) return [many]
  const one = tableRootField(table, 'insert_one', rowType(ctx, table), {
    meaning: { kind: 'insertOne', table },
    args: [
      inputField('object', object, { kind: 'plain' }, describe('the row to be inserted')),
      ...conflict,
    ],
    description: `insert a single row into the table: "${describedName(table)}"`,
  })
  return [many, one]
}

function updateFields(ctx: SchemaContext, table: Table): Field[] {
  const { update, select } = ctx.access(table)
  if (!update || !table.updatable) return []
  const operators = updateOperators(ctx, table)
  if (operators.length === 0 && update.presets.length === 0) return []
  const response = responseType(ctx, table)
  const text = describedName(table)
  const where = inputField(
    'where',
    requiredType(filterType(ctx, table)),
    { kind: 'plain' },
    {
      description: 'filter the rows which have to be updated',
    },
  )
  const many = tableRootField(table, 'update', response, {
    meaning: { kind: 'update', table },
    args: [...operators, where],
    description: `update data of the table: "${text}"`,
  })
  const batch = isOffered(ctx, 'update_many') ? [updateManyField(ctx, table, response)] : []
  const key = select && visibleKey(table, select)
  if (!key) return [many, ...batch]
  const one = tableRootField(table, 'update_by_pk', rowType(ctx, table), {
    meaning: { kind: 'updateByPk', table },
    args: [...operators, inputField('pk_columns', requiredType(keyType(ctx, table, key)))],
    description: `update single row of the table: "${text}"`,
  })
  return [many, one, ...batch]
}

function updateManyField(ctx: SchemaContext, table: Table, response: ObjectType): Field {
  return tableRootField(
    table,
    'update_many',
    { kind: 'list', of: response },
    {
      meaning: { kind: 'updateMany', table },
      args: [
        inputField(
          'updates',
          requiredType(listType(updatesType(ctx, table))),
          { kind: 'plain' },
          {
            description: 'updates to execute, in order',
          },
        ),
      ],
      description: `update multiples rows of table: "${describedName(table)}"`,
    },
  )
}

function deleteFields(ctx: SchemaContext, table: Table): Field[] {
  const { delete: permission, select } = ctx.access(table)
  if (!permission || !table.deletable) return []
  const where = inputField(
    'where',
    requiredType(filterType(ctx, table)),
    { kind: 'plain' },
    {
      description: 'filter the rows which have to be deleted',
    },
  )
  const many = tableRootField(table, 'delete', responseType(ctx, table), {
    meaning: { kind: 'delete', table },
    args: [where],
    description: `delete data from the table: "${describedName(table)}"`,
  })
  const key = select && visibleKey(table, select)
  if (!key) return [many]
  const one = tableRootField(table, 'delete_by_pk', rowType(ctx, table), {
    meaning: { kind: 'deleteByPk', table },
    args: keyArguments(ctx, key),
    description: `delete single row from the table: "${describedName(table)}"`,
  })
  return [many, one]
}

function isOffered({ model }: SchemaContext, kind: RootFieldKind): boolean {
  return offers(model.settings.experimentalFeatures, kind)
}

/** A table's root field under its configured name and comment. */
function tableRootField(
  table: Table,
  kind: RootFieldKind,
  type: TypeRef,
  rest: { meaning: Field['meaning']; args: readonly InputField[]; description: string },
): Field {
  const configured = table.rootFields.get(kind)
  const description = configured?.comment ?? rest.description
  return objectField(configured?.name ?? table.graphqlName, type, rest.meaning, {
    args: rest.args,
    description: description === '' ? null : description,
  })
}

/** The primary key, if the role may read all of its columns. */
function visibleKey(table: Table, { columns }: SelectPermission): readonly Column[] | null {
  return table.primaryKey?.every((column) => columns.has(column)) ? table.primaryKey : null
}

/** Root fields of a function, where the role may call it. */
export function functionFields(ctx: SchemaContext, tracked: TrackedFunction): Field[] {
  const { table, set, field: name } = tracked
  const { select } = ctx.access(table)
  if (!select || !mayCall(ctx, tracked)) return []
  const own = functionArguments(ctx, tracked.args, {
    typeName: tracked.argsType,
    of: `function "${name}"`,
  })
  const args = [...own, ...rowsArguments(ctx, table)]
  const row = rowType(ctx, table)
  const text = describedName(tracked)
  const rows = objectField(
    name,
    set ? requiredType(listType(row)) : row,
    { kind: 'function', function: tracked },
    {
      args,
      description:
        tracked.exposedAs === 'query'
          ? (tracked.comment ??
            `execute function "${text}" which returns "${describedName(table)}"`)
          : `execute VOLATILE function "${text}" which returns "${describedName(table)}"`,
    },
  )
  if (!select.aggregations || tracked.exposedAs === 'mutation') return [rows]
  const aggregate = requiredType(aggregateType(ctx, table, row))
  const meaning = { kind: 'functionAggregate', function: tracked } as const
  const description = `execute function "${text}" and query aggregates on result of table type "${describedName(table)}"`
  return [rows, objectField(tracked.aggregateField, aggregate, meaning, { args, description })]
}

function mayCall({ role, model }: SchemaContext, { exposedAs, roles }: TrackedFunction): boolean {
  const inferred = exposedAs === 'query' && model.settings.inferFunctionPermissions
  return role === ADMIN || inferred || roles.has(role)
}

/** Root fields of the native queries whose rows the role may read. */
export function nativeQueryFields(ctx: SchemaContext): Field[] {
  return ctx.model.nativeQueries
    .filter(({ returns }) => ctx.access(returns).select)
    .map((query) => {
      const own = query.args.map((arg) => {
        const type = valueType(ctx, { type: arg.type, enumType: null })
        const { description } = arg
        return inputField(
          arg.name,
          arg.nullable ? type : requiredType(type),
          { kind: 'plain' },
          { description },
        )
      })
      const type = ctx.input(
        `${query.field}_arguments`,
        `${query.field}Native Query Arguments`,
        () => fieldsByName(own),
      )
      const args = own.length > 0 ? [inputField('args', requiredType(type))] : []
      return objectField(
        query.field,
        requiredType(listType(rowType(ctx, query.returns))),
        { kind: 'nativeQuery', query },
        { args: [...args, ...rowsArguments(ctx, query.returns)], description: query.comment },
      )
    })
}

/** The only field of a root in which the role has no permissions. */
export function nothingField(ctx: SchemaContext): Field {
  const description =
    "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions."
  return objectField(
    'no_queries_available',
    requiredType(builtInScalar(ctx, 'String')),
    { kind: 'nothing' },
    { description },
  )
}
