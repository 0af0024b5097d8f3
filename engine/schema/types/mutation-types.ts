import { own } from '../../json/own.ts'
import type { Column, Relationship, Table } from '../../model/model.ts'
import { scalarOf } from '../../postgres/scalars.ts'
import { builtInScalar, type Context, valueType } from '../context.ts'
import {
  byName,
  type EnumType,
  field,
  type InputField,
  type InputType,
  input,
  listOf,
  type ObjectType,
  required,
  type TypeRef,
} from '../graphql-types.ts'
import { filterType } from './filter-types.ts'
import { keyText } from './key-text.ts'
import { rowType } from './row-type.ts'
import { orPlaceholder } from './select-columns.ts'

/** `G_mutation_response`: the number of changed rows, and the rows. */
export function responseType(ctx: Context, table: Table): ObjectType {
  const description = `response of any mutation on the table "${keyText(table)}"`
  return ctx.object(`${table.graphqlName}_mutation_response`, description, () => {
    const affected = field(
      'affected_rows',
      required(builtInScalar(ctx, 'Int')),
      { kind: 'affectedRows' },
      {
        description: 'number of rows affected by the mutation',
      },
    )
    if (!ctx.access(table).select) return byName([affected])
    const rows = required(listOf(rowType(ctx, table)))
    const description = 'data from the rows affected by the mutation'
    return byName([affected, field('returning', rows, { kind: 'returning' }, { description })])
  })
}

/** `G_insert_input`: a row to insert, in which rows of related tables can be nested. */
export function insertType(ctx: Context, table: Table): InputType {
  const description = `input type for inserting data into table "${keyText(table)}"`
  return ctx.input(`${table.graphqlName}_insert_input`, description, () => {
    const columns = [...(ctx.access(table).insert?.columns ?? [])].filter((c) => !c.generated)
    return byName([
      ...columns.map((column) => columnInput(column, valueType(ctx, column))),
      ...[...table.relationships.values()].flatMap((r) => nestedInsert(ctx, r) ?? []),
    ])
  })
}

function columnInput(column: Column, type: TypeRef): InputField {
  const { comment: description } = column
  return input(column.field, type, { kind: 'column', column }, { description })
}

function nestedInsert(ctx: Context, relationship: Relationship): InputField | null {
  const { remote, kind, name } = relationship
  if (!remote.insertable || !ctx.access(remote).insert) return null
  const row = required(insertType(ctx, remote))
  const isObject = kind === 'object'
  const type = ctx.input(
    `${remote.graphqlName}_${isObject ? 'obj' : 'arr'}_rel_insert_input`,
    `input type for inserting ${isObject ? 'object' : 'array'} relation for remote table "${keyText(remote)}"`,
    () =>
      byName([input('data', isObject ? row : required(listOf(row))), ...onConflict(ctx, remote)]),
  )
  return input(name, type, { kind: 'relationship', relationship })
}

/** The argument `on_conflict`, where the table has constraints. */
export function onConflict(ctx: Context, table: Table): InputField[] {
  if (table.constraints.length === 0) return []
  const name = table.graphqlName
  const type = ctx.input(
    `${name}_on_conflict`,
    `on_conflict condition type for table "${keyText(table)}"`,
    () =>
      byName([
        input('constraint', required(constraints(ctx, table))),
        input(
          'update_columns',
          required(listOf(updateColumns(ctx, table))),
          { kind: 'plain' },
          {
            defaultText: '[]',
          },
        ),
        input('where', filterType(ctx, table)),
      ]),
  )
  return [input('on_conflict', type, { kind: 'plain' }, { description: 'upsert condition' })]
}

function constraints(ctx: Context, table: Table): EnumType {
  return ctx.enumeration(`${table.graphqlName}_constraint`, () => ({
    description: `unique or primary key constraints on table "${keyText(table)}"`,
    values: table.constraints.map(({ name, columns }) => ({
      name,
      description: `unique or primary key constraint on columns ${columns.map((c) => `"${c}"`).join(', ')}`,
    })),
    database: null,
  }))
}

function updateColumns(ctx: Context, table: Table): EnumType {
  return ctx.enumeration(`${table.graphqlName}_update_column`, () => ({
    description: `update columns of table "${keyText(table)}"`,
    values: orPlaceholder(
      updatable(ctx, table).map(({ field }) => ({ name: field, description: 'column name' })),
    ),
    database: null,
  }))
}

function updatable(ctx: Context, table: Table): Column[] {
  return [...(ctx.access(table).update?.columns ?? [])].filter((column) => !column.generated)
}

/** The operators of an update: which columns each can change, and the type of its operand. */
const UPDATE_OPERATORS: readonly {
  name: string
  suffix: string
  description: string
  takes(column: Column): boolean
  as(ctx: Context, column: Column): TypeRef
}[] = [
  {
    name: '_append',
    suffix: 'append_input',
    description: 'append existing jsonb value of filtered columns with new jsonb value',
    takes: isJsonb,
    as: valueType,
  },
  {
    name: '_delete_at_path',
    suffix: 'delete_at_path_input',
    description:
      'delete the field or element with specified path (for JSON arrays, negative integers count from the end)',
    takes: isJsonb,
    as: (ctx) => listOf(builtInScalar(ctx, 'String')),
  },
  {
    name: '_delete_elem',
    suffix: 'delete_elem_input',
    description:
      'delete the array element with specified index (negative integers count from the end). throws an error if top level container is not an array',
    takes: isJsonb,
    as: (ctx) => builtInScalar(ctx, 'Int'),
  },
  {
    name: '_delete_key',
    suffix: 'delete_key_input',
    description:
      'delete key/value pair or string element. key/value pairs are matched based on their key value',
    takes: isJsonb,
    as: (ctx) => builtInScalar(ctx, 'String'),
  },
  {
    name: '_inc',
    suffix: 'inc_input',
    description: 'increments the numeric columns with given value of the filtered values',
    takes: ({ type }) => type.element === null && scalarOf(type).numeric,
    as: valueType,
  },
  {
    name: '_prepend',
    suffix: 'prepend_input',
    description: 'prepend existing jsonb value of filtered columns with new jsonb value',
    takes: isJsonb,
    as: valueType,
  },
  {
    name: '_set',
    suffix: 'set_input',
    description: 'sets the columns of the filtered rows to the given values',
    takes: () => true,
    as: valueType,
  },
]

function isJsonb({ type }: Column): boolean {
  return type.element === null && scalarOf(type).family === 'jsonb'
}

/** Descriptions of the input types of the two operators for which they differ from the argument's. */
const INPUT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  _set: 'input type for updating data in table',
  _inc: 'input type for incrementing numeric columns in table',
}

/** The operator arguments of an update: `_set`, `_inc`… */
export function updateOperators(ctx: Context, table: Table): InputField[] {
  return UPDATE_OPERATORS.flatMap(({ name, suffix, description, takes, as }) => {
    const columns = updatable(ctx, table).filter(takes)
    if (columns.length === 0) return []
    const described = own(INPUT_DESCRIPTIONS, name)
    const type = ctx.input(
      `${table.graphqlName}_${suffix}`,
      described ? `${described} "${keyText(table)}"` : description,
      () => byName(columns.map((column) => columnInput(column, as(ctx, column)))),
    )
    return [input(name, type, { kind: 'plain' }, { description })]
  })
}

/** `G_updates`: one of several updates. */
export function updatesType(ctx: Context, table: Table): InputType {
  return ctx.input(`${table.graphqlName}_updates`, null, () =>
    byName([
      ...updateOperators(ctx, table),
      input(
        'where',
        required(filterType(ctx, table)),
        { kind: 'plain' },
        {
          description: 'filter the rows which have to be updated',
        },
      ),
    ]),
  )
}

/** `G_pk_columns_input`: the key of one row. */
export function keyType(ctx: Context, table: Table, key: readonly Column[]): InputType {
  const description = `primary key columns input for table: ${keyText(table)}`
  return ctx.input(`${table.graphqlName}_pk_columns_input`, description, () =>
    byName(keyArguments(ctx, key)),
  )
}

/** An argument for each column of a key; all are required. */
export function keyArguments(ctx: Context, key: readonly Column[]): InputField[] {
  return key.map((column) => columnInput(column, required(valueType(ctx, column))))
}
