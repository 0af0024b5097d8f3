import { Kind, parseType, type TypeNode } from 'graphql/language/index.js'
import { builtInType, postgresTypeName } from '../../postgres/scalars.ts'
import { ADMIN } from '../../session/session.ts'
import type { Action, ActionRelationship } from '../model/model.ts'
import {
  type Field,
  fieldsByName,
  type InputField,
  inputField,
  listType,
  type NamedType,
  objectField,
  requiredType,
  type TypeRef,
} from './graphql-types.ts'
import { builtInScalar, type SchemaContext } from './schema-context.ts'
import { aggregateType } from './types/aggregate-types.ts'
import { rowType } from './types/row-type.ts'
import { rowsArguments } from './types/rows-arguments.ts'

/** Returns the root field of an action; null if the role may not call it. */
export function actionField(ctx: SchemaContext, action: Action): Field | null {
  if (ctx.role !== ADMIN && !action.roles.has(ctx.role)) return null
  const { definition, comment } = action.metadata
  const args = definition.arguments.map(({ name, type, description }) =>
    inputField(
      name,
      actionType(ctx, type),
      { kind: 'plain' },
      { description: description ?? null },
    ),
  )
  const description = comment ?? null
  if (action.asynchronous && action.type === 'mutation') {
    const id = requiredType(builtInScalar(ctx, 'uuid'))
    const meaning = { kind: 'action', action, mayBeNull: false } as const
    return objectField(action.name, id, meaning, { args, description })
  }
  const outputType = actionType(ctx, definition.output_type)
  const meaning = { kind: 'action', action, mayBeNull: outputType.kind !== 'required' } as const
  return objectField(action.name, shownType(outputType), meaning, { args, description })
}

/**
 * Returns the root field for the result of an asynchronous action; null for any other action, or if the role may not
 * call the action.
 */
export function actionResultField(ctx: SchemaContext, action: Action): Field | null {
  if (!action.asynchronous || action.type !== 'mutation') return null
  if (ctx.role !== ADMIN && !action.roles.has(ctx.role)) return null
  const plainMeaning = { kind: 'plain' } as const
  const uuid = requiredType(builtInScalar(ctx, 'uuid'))
  const describe = (description: string) => ({ description })
  const output = actionType(ctx, action.metadata.definition.output_type)
  const type = ctx.object(action.name, `fields of action: "${action.name}"`, () =>
    fieldsByName([
      objectField(
        'created_at',
        requiredType(builtInScalar(ctx, 'timestamptz')),
        plainMeaning,
        describe('the time at which this action was created'),
      ),
      objectField(
        'errors',
        builtInScalar(ctx, 'json'),
        plainMeaning,
        describe('errors related to the invocation'),
      ),
      objectField('id', uuid, plainMeaning, describe('the unique id of an action')),
      objectField('output', output, plainMeaning, describe('the output fields of this action')),
    ]),
  )
  const args = [inputField('id', uuid, plainMeaning, describe('the unique id of an action'))]
  const description = `retrieve the result of action: "${action.name}"`
  return objectField(
    action.name,
    type,
    { kind: 'asynchronousAction', action },
    { args, description },
  )
}

/**
 * Returns the type that the schema shows. A scalar result is shown as non-null although it may be null, as in Hasura.
 */
function shownType(type: TypeRef): TypeRef {
  return type.kind === 'scalar' ? requiredType(type) : type
}

function actionType(ctx: SchemaContext, text: string): TypeRef {
  return typeFromNode(ctx, parseType(text))
}

function typeFromNode(ctx: SchemaContext, node: TypeNode): TypeRef {
  if (node.kind === Kind.NON_NULL_TYPE) return requiredType(typeFromNode(ctx, node.type))
  if (node.kind === Kind.LIST_TYPE) return { kind: 'list', of: typeFromNode(ctx, node.type) }
  return namedActionType(ctx, node.name.value)
}

function namedActionType(ctx: SchemaContext, name: string): NamedType {
  const { metadata } = ctx.model.customTypes
  const object = metadata.objects.find((type) => type.name === name)
  if (object)
    return ctx.object(name, object.description ?? null, () =>
      fieldsByName([
        ...object.fields.map((f) =>
          objectField(
            f.name,
            actionType(ctx, f.type),
            { kind: 'plain' },
            { description: f.description ?? null },
          ),
        ),
        ...(ctx.model.customTypes.relationships.get(name) ?? []).flatMap((r) =>
          actionRelationshipFields(ctx, r),
        ),
      ]),
    )
  const inputObject = metadata.input_objects.find((type) => type.name === name)
  if (inputObject)
    return ctx.input(name, inputObject.description ?? null, () =>
      fieldsByName(
        inputObject.fields.map(
          (f): InputField =>
            inputField(
              f.name,
              actionType(ctx, f.type),
              { kind: 'plain' },
              { description: f.description ?? null },
            ),
        ),
      ),
    )
  const enumeration = metadata.enums.find((type) => type.name === name)
  if (enumeration)
    return ctx.enumeration(name, () => ({
      description: enumeration.description ?? null,
      values: enumeration.values.map(({ value, description }) => ({
        name: value,
        description: description ?? null,
      })),
      database: null,
    }))
  return scalarByName(ctx, name)
}

/**
 * Returns the scalar with a name: a scalar that the metadata defines for actions, GraphQL's `ID`, or else the scalar of a
 * PostgreSQL type, such as `int4` for `Int`.
 */
function scalarByName(ctx: SchemaContext, name: string): NamedType {
  const custom = ctx.model.customTypes.metadata.scalars.find((type) => type.name === name)
  if (custom) return ctx.scalar(name, null, custom.description ?? null)
  if (name === 'ID') return ctx.scalar(name, null)
  return ctx.scalar(name, builtInType(postgresTypeName(name)))
}

function actionRelationshipFields(ctx: SchemaContext, relationship: ActionRelationship): Field[] {
  const { name, remote, kind } = relationship
  const permission = ctx.access(remote).select
  if (!permission) return []
  const remoteContext = ctx.in(remote.source)
  const row = rowType(remoteContext, remote)
  const meaning = { kind: 'actionRelationship', relationship } as const
  if (kind === 'object')
    return [objectField(name, row, meaning, { description: relationship.description })]
  const args = rowsArguments(remoteContext, remote)
  const rows = objectField(name, requiredType(listType(row)), meaning, {
    args,
    description: relationship.description,
  })
  if (!permission.allowsAggregations) return [rows]
  const type = requiredType(aggregateType(remoteContext, remote, row))
  return [
    rows,
    objectField(remoteContext.naming.field(`${name}_aggregate`), type, meaning, { args }),
  ]
}
