import { isRecord } from '../../../json/record.ts'
import { ADMIN } from '../../../session/session.ts'
import type {
  RemoteRelationship,
  RemoteSchema,
  SelectPermission,
  Table,
  ToRemoteField,
  ToTable,
} from '../../model/model.ts'
import {
  type RemoteField,
  type RemoteFields,
  remoteTypeName,
  rootFieldsOf,
} from '../../model/remote-types.ts'
import {
  type Field,
  fieldsByName,
  type InputField,
  type InputType,
  listType,
  namedType,
  type ObjectType,
  objectField,
  requiredType,
  type TypeRef,
} from '../graphql-types.ts'
import type { SchemaContext } from '../schema-context.ts'
import { aggregateType } from './aggregate-types.ts'
import { remoteField, remoteMeaning, type VisibleSchema } from './remote-types.ts'
import { rowsArguments } from './rows-arguments.ts'

/**
 * The function that builds the type of a table's rows. It is passed as an argument, because its file imports this file.
 */
type RowTypeOf = (ctx: SchemaContext, table: Table) => ObjectType

/** Returns the part of a remote schema that the role may use; null if the role may use nothing. */
export function visibleSchema(
  ctx: SchemaContext,
  schema: RemoteSchema,
  rowTypeOf: RowTypeOf,
): VisibleSchema | null {
  const needsPermission = ctx.model.settings.enableRemoteSchemaPermissions && ctx.role !== ADMIN
  const types = needsPermission ? schema.roles.get(ctx.role) : schema.types
  if (!types) return null
  return {
    schema,
    types,
    relationshipFields: (typeName) =>
      [...(schema.relationships.get(typeName)?.values() ?? [])].flatMap((relationship) =>
        relationshipFields(ctx, relationship, rowTypeOf),
      ),
  }
}

/** Returns the fields of a table's rows that are remote relationships. */
export function remoteRelationshipFields(
  ctx: SchemaContext,
  table: Table,
  rowTypeOf: RowTypeOf,
): Field[] {
  return [...table.remoteRelationships.values()].flatMap((relationship) =>
    relationshipFields(ctx, relationship, rowTypeOf),
  )
}

function relationshipFields(
  ctx: SchemaContext,
  relationship: RemoteRelationship,
  rowTypeOf: RowTypeOf,
): Field[] {
  const { target } = relationship
  if (target.kind === 'field') {
    const visible = visibleSchema(ctx, target.schema, rowTypeOf)
    return visible ? remoteSchemaField(ctx, visible, relationship, target) : []
  }
  const { table } = target
  const sourceContext = ctx.in(table.source)
  const { select } = ctx.access(table)
  return select
    ? tableFields(sourceContext, relationship, {
        ...target,
        row: rowTypeOf(sourceContext, table),
        select,
      })
    : []
}

type VisibleTable = ToTable & { row: ObjectType; select: SelectPermission }

function tableFields(
  ctx: SchemaContext,
  relationship: RemoteRelationship,
  { table, cardinality, row, select }: VisibleTable,
): Field[] {
  const { name } = relationship
  const meaning = { kind: 'remoteRelationship', relationship, field: null } as const
  if (cardinality === 'object')
    return [objectField(name, row, meaning, { description: 'An object relationship' })]
  const args = rowsArguments(ctx, table)
  const rows = objectField(name, listType(row), meaning, {
    args,
    description: 'An array relationship',
  })
  if (!select.allowsAggregations) return [rows]
  const aggregate = objectField(
    `${name}_aggregate`,
    requiredType(aggregateType(ctx, table, row)),
    meaning,
    { args, description: 'An aggregate relationship' },
  )
  return [rows, aggregate]
}

/** Returns the field at the end of the relationship's path, with the arguments that the relationship does not set. */
function remoteSchemaField(
  ctx: SchemaContext,
  visible: VisibleSchema,
  relationship: RemoteRelationship,
  { steps }: ToRemoteField,
): Field[] {
  const last = steps.at(-1)
  const target = lastField(visible, steps)
  if (!target || !last) return []
  const field = remoteField(ctx, visible, relationship.name, target)
  const args = [...field.args.values()].flatMap(
    (arg) => callerPart(arg, last.args[arg.name], relationship.key) ?? [],
  )
  const meaning = {
    kind: 'remoteRelationship',
    relationship,
    field: remoteMeaning(target),
  } as const
  return [{ ...field, description: null, args: fieldsByName(args), meaning }]
}

/** Finds the field at the end of the path; null if the role may not use the whole path. */
function lastField({ types }: VisibleSchema, steps: ToRemoteField['steps']): RemoteField | null {
  let fields: RemoteFields = rootFieldsOf(types, 'query')
  let last: RemoteField | null = null
  for (const { field: name, args } of steps) {
    const field = fields.get(name)
    if (!field) return null
    const isUsable = Object.keys(args).every((arg) => field.args.get(arg)?.preset === null)
    if (!isUsable) return null
    const type = types.types.get(remoteTypeName(field.type))
    fields = type?.kind === 'object' || type?.kind === 'interface' ? type.fields : new Map()
    last = field
  }
  return last
}

/** Returns the part of an argument that the caller passes; null if the relationship sets all of it. */
function callerPart(arg: InputField, template: unknown, key: string): InputField | null {
  if (template === undefined) return arg
  const type = namedType(arg.type)
  if (!isRecord(template) || type.kind !== 'input' || isListed(arg.type)) return null
  const members = [...type.fields().values()].flatMap(
    (member) => callerPart(member, template[member.name], key) ?? [],
  )
  if (members.length === 0) return null
  const map = fieldsByName(members)
  const name = `${type.name}_remote_rel_${key}`
  const reducedType: InputType = { ...type, name, fields: () => map }
  return { ...arg, type: arg.type.kind === 'required' ? requiredType(reducedType) : reducedType }
}

function isListed(type: TypeRef): boolean {
  return type.kind === 'list' || (type.kind === 'required' && isListed(type.of))
}
