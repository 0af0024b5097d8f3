import type { Table } from '../../model/model.ts'
import { type InputField, inputField, listType } from '../graphql-types.ts'
import { builtInScalar, type SchemaContext } from '../schema-context.ts'
import { filterType } from './filter-types.ts'
import { orderType } from './order-types.ts'
import { selectColumns } from './select-columns.ts'

/** Returns the arguments that filter, sort and limit rows. */
export function rowsArguments(ctx: SchemaContext, table: Table): InputField[] {
  const { naming } = ctx
  const int = builtInScalar(ctx, 'Int')
  const plainMeaning = { kind: 'plain' } as const
  const describe = (description: string) => ({ description })
  const columns = selectColumns(ctx, table)
  const distinct =
    columns &&
    inputField(
      naming.field('distinct_on'),
      listType(columns),
      plainMeaning,
      describe('distinct select on columns'),
    )
  return [
    ...(distinct ? [distinct] : []),
    inputField('limit', int, plainMeaning, describe('limit the number of rows returned')),
    inputField(
      'offset',
      int,
      plainMeaning,
      describe('skip the first n rows. Use only with order_by'),
    ),
    inputField(
      naming.field('order_by'),
      listType(orderType(ctx, table)),
      plainMeaning,
      describe('sort the rows by one or more columns'),
    ),
    inputField('where', filterType(ctx, table), plainMeaning, describe('filter the rows returned')),
  ]
}
