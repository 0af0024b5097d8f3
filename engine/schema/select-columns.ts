import type { Table } from '../model/model.ts'
import type { Context } from './context.ts'
import type { EnumType } from './types.ts'

/** The enum of the columns that the role may read. */
export function selectColumns(ctx: Context, table: Table): EnumType {
  return ctx.enumeration(`${table.graphqlName}_select_column`, () => {
    const columns = [...(ctx.access(table).select?.columns.keys() ?? [])]
    return {
      description: `select columns of table "${table.name}"`,
      values: orPlaceholder(
        columns.map(({ field }) => ({ name: field, description: 'column name' })),
      ),
      database: null,
    }
  })
}

type Values = EnumType['values']

/** GraphQL has no empty enums. */
export function orPlaceholder(values: Values): Values {
  const none = [{ name: PLACEHOLDER, description: 'placeholder (do not use)' }]
  return values.length > 0 ? values : none
}

/** The value of an enum that has none. */
const PLACEHOLDER = '_PLACEHOLDER'
