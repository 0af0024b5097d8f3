import { scalarOf } from '../../../postgres/scalars.ts'
import type { ComputedField, Relationship, SelectPermission, Table } from '../../model/model.ts'
import {
  type Field,
  fieldsByName,
  inputField,
  listType,
  type ObjectType,
  objectField,
  requiredType,
} from '../graphql-types.ts'
import { builtInScalar, columnType, type SchemaContext, valueType } from '../schema-context.ts'
import { aggregateType } from './aggregate-types.ts'
import { computedArguments, computedDescription } from './function-fields.ts'
import { nameForDescription } from './name-for-description.ts'
import { nativeRelationshipField } from './native-fields.ts'
import { remoteRelationshipFields } from './remote-relationship-fields.ts'
import { rowsArguments } from './rows-arguments.ts'

/** Builds the object type of a table's rows for the role. */
export function rowType(ctx: SchemaContext, table: Table): ObjectType {
  const automatic = `columns and relationships of "${nameForDescription(table)}"`
  const description = (table.comment ?? (table.isLogicalModel ? null : automatic)) || null
  return ctx.object(
    table.rowType,
    description,
    () => {
      const { select } = ctx.access(table)
      if (!select) return new Map()
      const relationships = [...table.relationships.values()]
      const common = [
        ...columnFields(ctx, select),
        ...relationships.flatMap((relationship) => relationshipFields(ctx, relationship)),
        ...nativeRelationshipFields(ctx, table, select),
        ...remoteRelationshipFields(ctx, table, rowType),
        ...[...select.computedFields.keys()].flatMap((f) => computedField(ctx, table, f) ?? []),
      ]
      return fieldsByName(ctx.rows.fields(ctx, table, common))
    },
    () => ctx.rows.interfaces(ctx, table),
  )
}

function columnFields(ctx: SchemaContext, { columns }: SelectPermission): Field[] {
  return [...columns].map(([column, mask]) => {
    const type = mask === null ? columnType(ctx, column) : valueType(ctx, column)
    const isJson = column.type.element === null && scalarOf(column.type).accepts === 'json'
    return objectField(
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

const PATH = (ctx: SchemaContext) =>
  inputField(
    'path',
    builtInScalar(ctx, 'String'),
    { kind: 'plain' },
    { description: 'JSON select path' },
  )

function relationshipFields(ctx: SchemaContext, relationship: Relationship): Field[] {
  const { name, remote, kind } = relationship
  const permission = ctx.access(remote).select
  if (!permission) return []
  const row = rowType(ctx, remote)
  const meaning = { kind: 'relationship', relationship } as const
  if (kind === 'object') {
    const description = 'An object relationship'
    return [
      objectField(name, relationship.nullable ? row : requiredType(row), meaning, { description }),
    ]
  }
  const args = rowsArguments(ctx, remote)
  const description = 'An array relationship'
  const rows = objectField(name, requiredType(listType(row)), meaning, { args, description })
  if (!permission.allowsAggregations) return [rows]
  const numbers = objectField(
    ctx.naming.field(`${name}_aggregate`),
    requiredType(aggregateType(ctx, remote, row)),
    { kind: 'relationshipAggregate', relationship },
    { args, description: 'An aggregate relationship' },
  )
  return [rows, numbers]
}

function nativeRelationshipFields(
  ctx: SchemaContext,
  { nativeRelationships }: Table,
  select: SelectPermission,
): Field[] {
  return [...nativeRelationships.values()].flatMap((relationship) => {
    const row = () => rowType(ctx, relationship.remote)
    return nativeRelationshipField(ctx, relationship, { select, row }) ?? []
  })
}

function computedField(ctx: SchemaContext, table: Table, computed: ComputedField): Field | null {
  const { returns } = computed
  const callerArguments = computedArguments(ctx, table, computed)
  const meaning = { kind: 'computedField', field: computed } as const
  const description = computedDescription(computed)
  if (returns.kind === 'scalar') {
    const isJson = scalarOf(returns.type).accepts === 'json'
    const args = isJson ? [...callerArguments, PATH(ctx)] : callerArguments
    return objectField(computed.field, valueType(ctx, returns), meaning, { description, args })
  }
  if (!ctx.access(returns.table).select) return null
  const row = rowType(ctx, returns.table)
  const args = [...callerArguments, ...rowsArguments(ctx, returns.table)]
  return objectField(computed.field, listType(row), meaning, { description, args })
}
