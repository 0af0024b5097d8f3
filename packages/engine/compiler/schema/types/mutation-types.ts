import { ownValue } from '../../../json/own-value.ts'
import { quotedNames } from '../../../json/quoted-names.ts'
import { scalarOf } from '../../../postgres/scalars.ts'
import type { Column, Relationship, Table } from '../../model/model.ts'
import {
  type EnumType,
  fieldsByName,
  type InputField,
  type InputType,
  inputField,
  listType,
  type ObjectType,
  objectField,
  requiredType,
  type TypeRef,
} from '../graphql-types.ts'
import { inHashOrder } from '../hash-order.ts'
import { builtInScalar, type SchemaContext, valueType } from '../schema-context.ts'
import { filterType } from './filter-types.ts'
import { nameForDescription } from './name-for-description.ts'
import { rowType } from './row-type.ts'
import { valuesOrPlaceholder } from './select-columns.ts'
import { memberName } from './table-member.ts'

/** Builds `<table>_mutation_response`: the number of changed rows, and the rows. */
export function responseType(ctx: SchemaContext, table: Table): ObjectType {
  const description = `response of any mutation on the table "${nameForDescription(table)}"`
  return ctx.object(ctx.naming.type(table.baseName, 'mutation_response'), description, () => {
    const affected = objectField(
      ctx.naming.field('affected_rows'),
      requiredType(builtInScalar(ctx, 'Int')),
      { kind: 'affectedRows' },
      {
        description: 'number of rows affected by the mutation',
      },
    )
    if (!ctx.access(table).select) return fieldsByName([affected])
    const rows = requiredType(listType(rowType(ctx, table)))
    const description = 'data from the rows affected by the mutation'
    return fieldsByName([
      affected,
      objectField('returning', rows, { kind: 'returning' }, { description }),
    ])
  })
}

/** Builds `<table>_insert_input`: a row to insert, with nested rows of related tables. */
export function insertType(ctx: SchemaContext, table: Table): InputType {
  const description = `input type for inserting data into table "${nameForDescription(table)}"`
  return ctx.input(ctx.naming.type(table.baseName, 'insert_input'), description, () => {
    const columns = [...(ctx.access(table).insert?.columns ?? [])].filter((c) => !c.isGenerated)
    const members = inHashOrder([...columns, ...table.relationships.values()], memberName)
    return fieldsByName(
      members.flatMap((member) => {
        if ('remote' in member) return nestedInsert(ctx, member) ?? []
        return [columnInput(member, valueType(ctx, member))]
      }),
    )
  })
}

function columnInput(column: Column, type: TypeRef): InputField {
  const { comment: description } = column
  return inputField(column.field, type, { kind: 'column', column }, { description })
}

function nestedInsert(ctx: SchemaContext, relationship: Relationship): InputField | null {
  const { remote, kind, name } = relationship
  // A view that accepts no rows has the input too, as in Hasura. PostgreSQL then rejects the rows.
  if (!ctx.access(remote).insert) return null
  const row = requiredType(insertType(ctx, remote))
  const isObject = kind === 'object'
  const type = ctx.input(
    ctx.naming.type(remote.baseName, `${isObject ? 'obj' : 'arr'}_rel_insert_input`),
    `input type for inserting ${isObject ? 'object' : 'array'} relation for remote table "${nameForDescription(remote)}"`,
    () =>
      fieldsByName([
        inputField('data', isObject ? row : requiredType(listType(row))),
        ...onConflictArgument(ctx, remote),
      ]),
  )
  return inputField(name, type, { kind: 'relationship', relationship })
}

/** Returns the argument `on_conflict`; none for a table without unique constraints and indexes. */
export function onConflictArgument(ctx: SchemaContext, table: Table): InputField[] {
  if (table.constraints.length + table.uniqueIndexes.length === 0) return []
  const { naming } = ctx
  const type = ctx.input(
    naming.type(table.baseName, 'on_conflict'),
    `on_conflict condition type for table "${nameForDescription(table)}"`,
    () =>
      fieldsByName([
        inputField('constraint', requiredType(constraintEnum(ctx, table))),
        inputField(
          naming.field('update_columns'),
          requiredType(listType(updateColumnEnum(ctx, table))),
          { kind: 'plain' },
          {
            defaultText: '[]',
          },
        ),
        inputField('where', filterType(ctx, table)),
      ]),
  )
  const description = 'upsert condition'
  return [inputField(naming.field('on_conflict'), type, { kind: 'plain' }, { description })]
}

function constraintEnum(ctx: SchemaContext, table: Table): EnumType {
  return ctx.enumeration(ctx.naming.type(table.baseName, 'constraint'), () => ({
    description: `unique or primary key constraints on table "${nameForDescription(table)}"`,
    values: [...table.constraints, ...table.uniqueIndexes].map(({ name, columns }) => ({
      name,
      description: `unique or primary key constraint on columns ${quotedNames(inHashOrder(columns, (column) => column))}`,
    })),
    database: null,
  }))
}

function updateColumnEnum(ctx: SchemaContext, table: Table): EnumType {
  return ctx.enumeration(ctx.naming.type(table.baseName, 'update_column'), () => {
    const columns = updatableColumns(ctx, table)
    const description = `update columns of table "${nameForDescription(table)}"`
    return {
      description:
        columns.length > 0
          ? description
          : `placeholder for ${description} (current role has no relevant permissions)`,
      values: valuesOrPlaceholder(
        columns.map(({ field }) => ({ name: field, description: 'column name' })),
      ),
      database: null,
    }
  })
}

/**
 * Returns the columns that an update may change, in the order of the table's columns. Hasura reads them in this order.
 */
function updatableColumns(ctx: SchemaContext, table: Table): Column[] {
  const columns = ctx.access(table).update?.columns
  return [...table.columns.values()].filter((column) => columns?.has(column) && !column.isGenerated)
}

/** The operators of an update, with the columns that each can change and the type of its operand. */
const UPDATE_OPERATORS: readonly {
  name: string
  description: string
  accepts(column: Column): boolean
  operandType(ctx: SchemaContext, column: Column): TypeRef
}[] = [
  {
    name: '_append',
    description: 'append existing jsonb value of filtered columns with new jsonb value',
    accepts: isJsonbColumn,
    operandType: valueType,
  },
  {
    name: '_delete_at_path',
    description:
      'delete the field or element with specified path (for JSON arrays, negative integers count from the end)',
    accepts: isJsonbColumn,
    operandType: (ctx) => listType(builtInScalar(ctx, 'String')),
  },
  {
    name: '_delete_elem',
    description:
      'delete the array element with specified index (negative integers count from the end). throws an error if top level container is not an array',
    accepts: isJsonbColumn,
    operandType: (ctx) => builtInScalar(ctx, 'Int'),
  },
  {
    name: '_delete_key',
    description:
      'delete key/value pair or string element. key/value pairs are matched based on their key value',
    accepts: isJsonbColumn,
    operandType: (ctx) => builtInScalar(ctx, 'String'),
  },
  {
    name: '_inc',
    description: 'increments the numeric columns with given value of the filtered values',
    accepts: ({ type }) => type.element === null && scalarOf(type).isNumeric,
    operandType: valueType,
  },
  {
    name: '_prepend',
    description: 'prepend existing jsonb value of filtered columns with new jsonb value',
    accepts: isJsonbColumn,
    operandType: valueType,
  },
  {
    name: '_set',
    description: 'sets the columns of the filtered rows to the given values',
    accepts: () => true,
    operandType: valueType,
  },
]

function isJsonbColumn({ type }: Column): boolean {
  return type.element === null && scalarOf(type).family === 'jsonb'
}

/**
 * The descriptions of the input types of two operators. The input type of any other operator has the same description
 * as the operator's argument.
 */
const INPUT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  _set: 'input type for updating data in table',
  _inc: 'input type for incrementing numeric columns in table',
}

/** Returns the operator arguments of an update: `_set`, `_inc`… */
export function updateOperators(ctx: SchemaContext, table: Table): InputField[] {
  const { naming } = ctx
  return UPDATE_OPERATORS.flatMap(({ name, description, accepts, operandType }) => {
    const columns = updatableColumns(ctx, table).filter(accepts)
    if (columns.length === 0) return []
    const inputDescription = ownValue(INPUT_DESCRIPTIONS, name)
    const type = ctx.input(
      naming.type(table.baseName, `${name.slice(1)}_input`),
      inputDescription ? `${inputDescription} "${nameForDescription(table)}"` : description,
      () => fieldsByName(columns.map((column) => columnInput(column, operandType(ctx, column)))),
    )
    return [inputField(naming.field(name), type, { kind: 'plain' }, { description })]
  })
}

/** Builds `<table>_updates`: an update of `update_<table>_many`. */
export function updatesType(ctx: SchemaContext, table: Table): InputType {
  return ctx.input(ctx.naming.type(table.baseName, 'updates'), null, () =>
    fieldsByName([
      ...updateOperators(ctx, table),
      inputField(
        'where',
        requiredType(filterType(ctx, table)),
        { kind: 'plain' },
        {
          description: 'filter the rows which have to be updated',
        },
      ),
    ]),
  )
}

/** Builds `<table>_pk_columns_input`: the key of a row. */
export function keyType(ctx: SchemaContext, table: Table, key: readonly Column[]): InputType {
  const description = `primary key columns input for table: ${nameForDescription(table)}`
  return ctx.input(ctx.naming.type(table.baseName, 'pk_columns_input'), description, () =>
    fieldsByName(keyArguments(ctx, key)),
  )
}

/** Returns a required argument for each column of a key. */
export function keyArguments(ctx: SchemaContext, key: readonly Column[]): InputField[] {
  return key.map((column) => columnInput(column, requiredType(valueType(ctx, column))))
}
