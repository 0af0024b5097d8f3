import type { Table } from '../../model/model.ts'
import type { EnumType } from '../graphql-types.ts'
import { inHashOrder } from '../hash-order.ts'
import type { SchemaContext } from '../schema-context.ts'
import { nameForDescription } from './name-for-description.ts'
import { memberName } from './table-member.ts'

/** Builds the enum of the columns that the role may read; null if there are none. */
export function selectColumns(ctx: SchemaContext, table: Table): EnumType | null {
  const columns = inHashOrder(ctx.access(table).select?.columns.keys() ?? [], memberName)
  if (columns.length === 0) return null
  const { baseName, isLogicalModel } = table
  const name = ctx.naming.type(baseName, isLogicalModel ? 'enum_name' : 'select_column')
  return ctx.enumeration(name, () => ({
    description: isLogicalModel ? null : `select columns of table "${nameForDescription(table)}"`,
    values: columns.map(({ field }) => ({ name: field, description: 'column name' })),
    database: null,
  }))
}

type Values = EnumType['values']

/** Returns the values. If there are none, returns a placeholder, because GraphQL has no empty enums. */
export function valuesOrPlaceholder(values: Values): Values {
  const placeholders = [{ name: PLACEHOLDER, description: 'placeholder (do not use)' }]
  return values.length > 0 ? values : placeholders
}

/** The only value of an otherwise empty enum. */
const PLACEHOLDER = '_PLACEHOLDER'
