import type {
  Column,
  RootFieldKind,
  SelectPermission,
  Table,
  TrackedFunction,
} from '../model/model.ts'
import { offers } from '../model/root-names.ts'
import { ADMIN } from '../session/session.ts'
import { builtInScalar, type Context, valueType } from './context.ts'
import {
  byName,
  type Field,
  field,
  type InputField,
  input,
  listOf,
  type ObjectType,
  required,
  type TypeRef,
} from './graphql-types.ts'
import { aggregateType } from './types/aggregate-types.ts'
import { filterType } from './types/filter-types.ts'
import { functionArguments } from './types/function-fields.ts'
import { keyText } from './types/key-text.ts'
import {
  insertType,
  keyArguments,
  keyType,
  onConflict,
  responseType,
  updateOperators,
  updatesType,
} from './types/mutation-types.ts'
import { rowType } from './types/row-type.ts'
import { rowsArguments } from './types/rows-arguments.ts'
import { streamArguments } from './types/stream-types.ts'

/** Root fields that read a table. */
export function queryFields(ctx: Context, table: Table): Field[] {
  const { select } = ctx.access(table)
  if (!select) return []
  const row = rowType(ctx, table)
  const args = rowsArguments(ctx, table)
  const text = keyText(table)
  const rows = root(table, 'select', required(listOf(row)), {
    meaning: { kind: 'select', table },
    args,
    description: `fetch data from the table: "${text}"`,
  })
  const aggregate = root(table, 'select_aggregate', required(aggregateType(ctx, table, row)), {
    meaning: { kind: 'selectAggregate', table },
    args,
    description: `fetch aggregated fields from the table: "${text}"`,
  })
  const key = visibleKey(table, select)
  const byKey = key && [
    root(table, 'select_by_pk', row, {
      meaning: { kind: 'selectByPk', table },
      args: keyArguments(ctx, key),
      description: `fetch data from the table: "${text}" using primary key columns`,
    }),
  ]
  return [rows, ...(select.aggregations ? [aggregate] : []), ...(byKey ?? [])]
}

/** Root fields that stream a table's rows, for subscriptions only. */
export function streamFields(ctx: Context, table: Table): Field[] {
  if (!ctx.access(table).select || !isOffered(ctx, 'select_stream')) return []
  const type = required(listOf(rowType(ctx, table)))
  return [
    root(table, 'select_stream', type, {
      meaning: { kind: 'selectStream', table },
      args: streamArguments(ctx, table),
      description: `fetch data from the table in a streaming manner: "${keyText(table)}"`,
    }),
  ]
}

/** Root fields that change a table. */
export function mutationFields(ctx: Context, table: Table): Field[] {
  return [...insertFields(ctx, table), ...updateFields(ctx, table), ...deleteFields(ctx, table)]
}

function insertFields(ctx: Context, table: Table): Field[] {
  const { insert, select } = ctx.access(table)
  if (!insert || !table.insertable) return []
  const object = required(insertType(ctx, table))
  const conflict = onConflict(ctx, table)
  const describe = (description: string) => ({ description })
  const many = root(table, 'insert', responseType(ctx, table), {
    meaning: { kind: 'insert', table },
    args: [
      input(
        'objects',
        required(listOf(object)),
        { kind: 'plain' },
        describe('the rows to be inserted'),
      ),
      ...conflict,
    ],
    description: `insert data into the table: "${keyText(table)}"`,
  })
  if (!select) return [many]
  const one = root(table, 'insert_one', rowType(ctx, table), {
    meaning: { kind: 'insertOne', table },
    args: [
      input('object', object, { kind: 'plain' }, describe('the row to be inserted')),
      ...conflict,
    ],
    description: `insert a single row into the table: "${keyText(table)}"`,
  })
  return [many, one]
}

function updateFields(ctx: Context, table: Table): Field[] {
  const { update, select } = ctx.access(table)
  if (!update || !table.updatable) return []
  const operators = updateOperators(ctx, table)
  if (operators.length === 0 && update.presets.length === 0) return []
  const response = responseType(ctx, table)
  const text = keyText(table)
  const where = input(
    'where',
    required(filterType(ctx, table)),
    { kind: 'plain' },
    {
      description: 'filter the rows which have to be updated',
    },
  )
  const many = root(table, 'update', response, {
    meaning: { kind: 'update', table },
    args: [...operators, where],
    description: `update data of the table: "${text}"`,
  })
  const batch = isOffered(ctx, 'update_many') ? [updateMany(ctx, table, response)] : []
  const key = select && visibleKey(table, select)
  if (!key) return [many, ...batch]
  const one = root(table, 'update_by_pk', rowType(ctx, table), {
    meaning: { kind: 'updateByPk', table },
    args: [...operators, input('pk_columns', required(keyType(ctx, table, key)))],
    description: `update single row of the table: "${text}"`,
  })
  return [many, one, ...batch]
}

function updateMany(ctx: Context, table: Table, response: ObjectType): Field {
  return root(
    table,
    'update_many',
    { kind: 'list', of: response },
    {
      meaning: { kind: 'updateMany', table },
      args: [
        input(
          'updates',
          required(listOf(updatesType(ctx, table))),
          { kind: 'plain' },
          {
            description: 'updates to execute, in order',
          },
        ),
      ],
      description: `update multiples rows of table: "${keyText(table)}"`,
    },
  )
}

function deleteFields(ctx: Context, table: Table): Field[] {
  const { delete: permission, select } = ctx.access(table)
  if (!permission || !table.deletable) return []
  const where = input(
    'where',
    required(filterType(ctx, table)),
    { kind: 'plain' },
    {
      description: 'filter the rows which have to be deleted',
    },
  )
  const many = root(table, 'delete', responseType(ctx, table), {
    meaning: { kind: 'delete', table },
    args: [where],
    description: `delete data from the table: "${keyText(table)}"`,
  })
  const key = select && visibleKey(table, select)
  if (!key) return [many]
  const one = root(table, 'delete_by_pk', rowType(ctx, table), {
    meaning: { kind: 'deleteByPk', table },
    args: keyArguments(ctx, key),
    description: `delete single row from the table: "${keyText(table)}"`,
  })
  return [many, one]
}

function isOffered({ model }: Context, kind: RootFieldKind): boolean {
  return offers(model.settings.experimentalFeatures, kind)
}

/** A table's root field under its configured name and comment. */
function root(
  table: Table,
  kind: RootFieldKind,
  type: TypeRef,
  rest: { meaning: Field['meaning']; args: readonly InputField[]; description: string },
): Field {
  const configured = table.rootFields.get(kind)
  const description = configured?.comment ?? rest.description
  return field(configured?.name ?? table.graphqlName, type, rest.meaning, {
    args: rest.args,
    description: description === '' ? null : description,
  })
}

/** The primary key, if the role may read all of its columns. */
function visibleKey(table: Table, { columns }: SelectPermission): readonly Column[] | null {
  return table.primaryKey?.every((column) => columns.has(column)) ? table.primaryKey : null
}

/** Root fields of a function, where the role may call it. */
export function functionFields(ctx: Context, tracked: TrackedFunction): Field[] {
  const { table, set, field: name } = tracked
  const { select } = ctx.access(table)
  if (!select || !mayCall(ctx, tracked)) return []
  const own = functionArguments(ctx, tracked.args, {
    typeName: tracked.argsType,
    of: `function "${name}"`,
  })
  const args = [...own, ...rowsArguments(ctx, table)]
  const row = rowType(ctx, table)
  const text = keyText(tracked)
  const rows = field(
    name,
    set ? required(listOf(row)) : row,
    { kind: 'function', function: tracked },
    {
      args,
      description:
        tracked.exposedAs === 'query'
          ? (tracked.comment ?? `execute function "${text}" which returns "${keyText(table)}"`)
          : `execute VOLATILE function "${text}" which returns "${keyText(table)}"`,
    },
  )
  if (!select.aggregations || tracked.exposedAs === 'mutation') return [rows]
  const aggregate = required(aggregateType(ctx, table, row))
  const meaning = { kind: 'functionAggregate', function: tracked } as const
  const description = `execute function "${text}" and query aggregates on result of table type "${keyText(table)}"`
  return [rows, field(tracked.aggregateField, aggregate, meaning, { args, description })]
}

function mayCall({ role, model }: Context, { exposedAs, roles }: TrackedFunction): boolean {
  const inferred = exposedAs === 'query' && model.settings.inferFunctionPermissions
  return role === ADMIN || inferred || roles.has(role)
}

/** Root fields of the native queries whose rows the role may read. */
export function nativeQueryFields(ctx: Context): Field[] {
  return ctx.model.nativeQueries
    .filter(({ returns }) => ctx.access(returns).select)
    .map((query) => {
      const own = query.args.map((arg) => {
        const type = valueType(ctx, { type: arg.type, enumType: null })
        const { description } = arg
        return input(
          arg.name,
          arg.nullable ? type : required(type),
          { kind: 'plain' },
          { description },
        )
      })
      const type = ctx.input(
        `${query.field}_arguments`,
        `${query.field}Native Query Arguments`,
        () => byName(own),
      )
      const args = own.length > 0 ? [input('args', required(type))] : []
      return field(
        query.field,
        required(listOf(rowType(ctx, query.returns))),
        { kind: 'nativeQuery', query },
        { args: [...args, ...rowsArguments(ctx, query.returns)], description: query.comment },
      )
    })
}

/** The only field of a root in which the role has no permissions. */
export function nothingField(ctx: Context): Field {
  const description =
    "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions."
  return field(
    'no_queries_available',
    required(builtInScalar(ctx, 'String')),
    { kind: 'nothing' },
    { description },
  )
}
