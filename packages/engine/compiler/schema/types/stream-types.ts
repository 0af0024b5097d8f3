import type { Table } from '../../model/model.ts'
import {
  fieldsByName,
  type InputField,
  type InputType,
  inputField,
  requiredType,
} from '../graphql-types.ts'
import { builtInScalar, type SchemaContext, valueType } from '../schema-context.ts'
import { filterType } from './filter-types.ts'

/** Returns the arguments of `<table>_stream`: the size of a batch, the cursor, and a condition. */
export function streamArguments(ctx: SchemaContext, table: Table): InputField[] {
  const plainMeaning = { kind: 'plain' } as const
  return [
    inputField(
      ctx.naming.field('batch_size'),
      requiredType(builtInScalar(ctx, 'Int')),
      plainMeaning,
      {
        description: 'maximum number of rows returned in a single batch',
      },
    ),
    inputField('cursor', requiredType({ kind: 'list', of: cursorType(ctx, table) }), plainMeaning, {
      description: 'cursor to stream the results returned by the query',
    }),
    inputField('where', filterType(ctx, table), plainMeaning, {
      description: 'filter the rows returned',
    }),
  ]
}

function cursorType(ctx: SchemaContext, table: Table): InputType {
  const { naming } = ctx
  const { baseName, graphqlName } = table
  const description = `Streaming cursor of the table "${graphqlName}"`
  return ctx.input(naming.type(baseName, 'stream_cursor_input'), description, () => {
    const columns = [...(ctx.access(table).select?.columns.keys() ?? [])]
    const value = ctx.input(
      naming.type(baseName, 'stream_cursor_value_input'),
      'Initial value of the column from where the streaming should start',
      () =>
        fieldsByName(
          columns.map((column) => {
            const { field, comment: description } = column
            return inputField(
              field,
              valueType(ctx, column),
              { kind: 'column', column },
              { description },
            )
          }),
        ),
    )
    const ordering = ctx.enumeration(naming.sharedType('cursor_ordering'), () => ({
      description: 'ordering argument of a cursor',
      values: [
        { name: 'ASC', description: 'ascending ordering of the cursor' },
        { name: 'DESC', description: 'descending ordering of the cursor' },
      ],
      database: null,
    }))
    return fieldsByName([
      inputField(
        naming.field('initial_value'),
        requiredType(value),
        { kind: 'plain' },
        { description: 'Stream column input with initial value' },
      ),
      inputField('ordering', ordering, { kind: 'plain' }, { description: 'cursor ordering' }),
    ])
  })
}
