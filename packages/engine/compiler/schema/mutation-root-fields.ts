import type { Table } from '../model/model.ts'
import { type Field, inputField, listType, type ObjectType, requiredType } from './graphql-types.ts'
import { isOffered, tableRootField, visibleKey } from './root-fields.ts'
import type { SchemaContext } from './schema-context.ts'
import { filterType } from './types/filter-types.ts'
import {
  insertType,
  keyArguments,
  keyType,
  onConflictArgument,
  responseType,
  updateOperators,
  updatesType,
} from './types/mutation-types.ts'
import { nameForDescription } from './types/name-for-description.ts'
import { rowType } from './types/row-type.ts'

/** Returns the root fields that change a table. */
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
    description: `insert data into the table: "${nameForDescription(table)}"`,
  })
  if (!select) return [many]
  const single = tableRootField(table, 'insert_one', rowType(ctx, table), {
    meaning: { kind: 'insertOne', table },
    args: [
      inputField('object', object, { kind: 'plain' }, describe('the row to be inserted')),
      ...conflict,
    ],
    description: `insert a single row into the table: "${nameForDescription(table)}"`,
  })
  return [many, single]
}

function updateFields(ctx: SchemaContext, table: Table): Field[] {
  const { update, select } = ctx.access(table)
  if (!update || !table.updatable) return []
  const operators = updateOperators(ctx, table)
  const response = responseType(ctx, table)
  const text = nameForDescription(table)
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
  const single = tableRootField(table, 'update_by_pk', rowType(ctx, table), {
    meaning: { kind: 'updateByPk', table },
    args: [
      ...operators,
      inputField(ctx.naming.field('pk_columns'), requiredType(keyType(ctx, table, key))),
    ],
    description: `update single row of the table: "${text}"`,
  })
  return [many, single, ...batch]
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
      description: `update multiples rows of table: "${nameForDescription(table)}"`,
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
    description: `delete data from the table: "${nameForDescription(table)}"`,
  })
  const key = select && visibleKey(table, select)
  if (!key) return [many]
  const single = tableRootField(table, 'delete_by_pk', rowType(ctx, table), {
    meaning: { kind: 'deleteByPk', table },
    args: keyArguments(ctx, key),
    description: `delete single row from the table: "${nameForDescription(table)}"`,
  })
  return [many, single]
}
