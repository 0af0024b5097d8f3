import type { Table } from '../../model/model.ts'
import { builtInScalar, type Context } from '../context.ts'
import { type InputField, input, listOf } from '../graphql-types.ts'
import { filterType } from './filter-types.ts'
import { orderType } from './order-types.ts'
import { selectColumns } from './select-columns.ts'

/** The arguments that choose rows: which, in which order, how many. */
export function rowsArguments(ctx: Context, table: Table): InputField[] {
  const int = builtInScalar(ctx, 'Int')
  const plain = { kind: 'plain' } as const
  const describe = (description: string) => ({ description })
  const columns = selectColumns(ctx, table)
  const distinct =
    columns && input('distinct_on', listOf(columns), plain, describe('distinct select on columns'))
  return [
    ...(distinct ? [distinct] : []),
    input('limit', int, plain, describe('limit the number of rows returned')),
    input('offset', int, plain, describe('skip the first n rows. Use only with order_by')),
    input(
      'order_by',
      listOf(orderType(ctx, table)),
      plain,
      describe('sort the rows by one or more columns'),
    ),
    input('where', filterType(ctx, table), plain, describe('filter the rows returned')),
  ]
}
