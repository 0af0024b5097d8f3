import type { Table } from '../../model/model.ts'
import { builtInScalar, type Context, valueType } from '../context.ts'
import { byName, type InputField, type InputType, input, required } from '../graphql-types.ts'
import { filterType } from './filter-types.ts'
import { keyText } from './key-text.ts'

/** The arguments of `G_stream`: the size of a batch, the cursor, and a condition. */
export function streamArguments(ctx: Context, table: Table): InputField[] {
  const plain = { kind: 'plain' } as const
  return [
    input('batch_size', required(builtInScalar(ctx, 'Int')), plain, {
      description: 'maximum number of rows returned in a single batch',
    }),
    input('cursor', required({ kind: 'list', of: cursorType(ctx, table) }), plain, {
      description: 'cursor to stream the results returned by the query',
    }),
    input('where', filterType(ctx, table), plain, { description: 'filter the rows returned' }),
  ]
}

function cursorType(ctx: Context, table: Table): InputType {
  const name = table.graphqlName
  const description = `Streaming cursor of the table "${keyText(table)}"`
  return ctx.input(`${name}_stream_cursor_input`, description, () => {
    const columns = [...(ctx.access(table).select?.columns.keys() ?? [])]
    const value = ctx.input(
      `${name}_stream_cursor_value_input`,
      'Initial value of the column from where the streaming should start',
      () =>
        byName(
          columns.map((c) => input(c.field, valueType(ctx, c), { kind: 'column', column: c })),
        ),
    )
    const ordering = ctx.enumeration('cursor_ordering', () => ({
      description: 'ordering argument of a cursor',
      values: [
        { name: 'ASC', description: 'ascending ordering of the cursor' },
        { name: 'DESC', description: 'descending ordering of the cursor' },
      ],
      database: null,
    }))
    return byName([
      input(
        'initial_value',
        required(value),
        { kind: 'plain' },
        { description: 'Stream column input with initial value' },
      ),
      input('ordering', ordering, { kind: 'plain' }, { description: 'cursor ordering' }),
    ])
  })
}
