import type { ComputedField, Relationship, SelectPermission, Table } from '../../model/model.ts'
import { scalarOf } from '../../postgres/scalars.ts'
import { builtInScalar, type Context, columnType, valueType } from '../context.ts'
import {
  byName,
  type Field,
  field,
  input,
  listOf,
  type ObjectType,
  required,
} from '../graphql-types.ts'
import { aggregateType } from './aggregate-types.ts'
import { computedArguments } from './function-fields.ts'
import { keyText } from './key-text.ts'
import { rowsArguments } from './rows-arguments.ts'

/** The object type of a table's rows as the role sees them. */
export function rowType(ctx: Context, table: Table): ObjectType {
  const description = (table.comment ?? `columns and relationships of "${keyText(table)}"`) || null
  return ctx.object(table.graphqlName, description, () => {
    const { select } = ctx.access(table)
    if (!select) return new Map()
    const relationships = [...table.relationships.values()]
    return byName([
      ...columnFields(ctx, select),
      ...relationships.flatMap((relationship) => relationshipFields(ctx, relationship)),
      ...[...select.computedFields.keys()].flatMap((f) => computedField(ctx, table, f) ?? []),
    ])
  })
}

function columnFields(ctx: Context, { columns }: SelectPermission): Field[] {
  return [...columns].map(([column, mask]) => {
    const type = mask === null ? columnType(ctx, column) : valueType(ctx, column)
    const isJson = column.type.element === null && scalarOf(column.type).accepts === 'json'
    return field(
      column.field,
      type,
      { kind: 'column', column },
      {
        description: column.comment,
        args: isJson ? [PATH(ctx)] : [],
      },
    )
  })
}

const PATH = (ctx: Context) =>
  input(
    'path',
    builtInScalar(ctx, 'String'),
    { kind: 'plain' },
    { description: 'JSON select path' },
  )

function relationshipFields(ctx: Context, relationship: Relationship): Field[] {
  const { name, remote, kind } = relationship
  const permission = ctx.access(remote).select
  if (!permission) return []
  const row = rowType(ctx, remote)
  const meaning = { kind: 'relationship', relationship } as const
  if (kind === 'object') {
    const description = relationship.comment ?? 'An object relationship'
    return [field(name, relationship.nullable ? row : required(row), meaning, { description })]
  }
  const args = rowsArguments(ctx, remote)
  const description = relationship.comment ?? 'An array relationship'
  const rows = field(name, required(listOf(row)), meaning, { args, description })
  if (!permission.aggregations) return [rows]
  const numbers = field(
    `${name}_aggregate`,
    required(aggregateType(ctx, remote, row)),
    { kind: 'relationshipAggregate', relationship },
    { args, description: 'An aggregate relationship' },
  )
  return [rows, numbers]
}

function computedField(ctx: Context, table: Table, computed: ComputedField): Field | null {
  const { returns } = computed
  const own = computedArguments(ctx, table, computed)
  const meaning = { kind: 'computedField', field: computed } as const
  const automatic = `A computed field, executes function "${keyText(computed)}"`
  const description = (computed.comment ?? computed.databaseComment ?? automatic) || null
  if (returns.kind === 'scalar') {
    const isJson = scalarOf(returns.type).accepts === 'json'
    const args = isJson ? [...own, PATH(ctx)] : own
    return field(computed.field, valueType(ctx, returns), meaning, { description, args })
  }
  if (!ctx.access(returns.table).select) return null
  const row = rowType(ctx, returns.table)
  const args = [...own, ...rowsArguments(ctx, returns.table)]
  return field(computed.field, listOf(row), meaning, { description, args })
}
