import { Kind, parseType, type TypeNode } from 'graphql/language/index.js'
import type { Action, ActionRelationship } from '../model/model.ts'
import { builtIn, postgresName } from '../postgres/scalars.ts'
import { ADMIN } from '../session/session.ts'
import { builtInScalar, type Context } from './context.ts'
import {
  byName,
  type Field,
  field,
  type InputField,
  input,
  listOf,
  type NamedType,
  required,
  type TypeRef,
} from './graphql-types.ts'
import { aggregateType } from './types/aggregate-types.ts'
import { rowType } from './types/row-type.ts'
import { rowsArguments } from './types/rows-arguments.ts'

/** The root field of an action that the role may call. */
export function actionField(ctx: Context, action: Action): Field | null {
  if (ctx.role !== ADMIN && !action.roles.has(ctx.role)) return null
  const { definition, comment } = action.metadata
  const args = definition.arguments.map(({ name, type, description }) =>
    input(name, typeOf(ctx, type), { kind: 'plain' }, { description: description ?? null }),
  )
  const description = comment ?? null
  if (action.asynchronous && action.type === 'mutation') {
    const id = required(builtInScalar(ctx, 'uuid'))
    return field(action.name, id, { kind: 'action', action }, { args, description })
  }
  const output = typeOf(ctx, definition.output_type ?? 'String')
  return field(action.name, output, { kind: 'action', action }, { args, description })
}

/** The root field for the result of an asynchronous action. */
export function actionResultField(ctx: Context, action: Action): Field | null {
  if (!action.asynchronous || action.type !== 'mutation') return null
  if (ctx.role !== ADMIN && !action.roles.has(ctx.role)) return null
  const plain = { kind: 'plain' } as const
  const uuid = required(builtInScalar(ctx, 'uuid'))
  const describe = (description: string) => ({ description })
  const output = typeOf(ctx, action.metadata.definition.output_type ?? 'String')
  const type = ctx.object(action.name, `fields of action: "${action.name}"`, () =>
    byName([
      field(
        'created_at',
        required(builtInScalar(ctx, 'timestamptz')),
        plain,
        describe('the time at which this action was created'),
      ),
      field(
        'errors',
        builtInScalar(ctx, 'json'),
        plain,
        describe('errors related to the invocation'),
      ),
      field('id', uuid, plain, describe('the unique id of an action')),
      field('output', output, plain, describe('the output fields of this action')),
    ]),
  )
  const args = [input('id', uuid, plain, describe('the unique id of an action'))]
  const description = `retrieve the result of action: "${action.name}"`
  return field(action.name, type, { kind: 'asynchronousAction', action }, { args, description })
}

function typeOf(ctx: Context, text: string): TypeRef {
  return fromNode(ctx, parseType(text))
}

function fromNode(ctx: Context, node: TypeNode): TypeRef {
  if (node.kind === Kind.NON_NULL_TYPE) return required(fromNode(ctx, node.type))
  if (node.kind === Kind.LIST_TYPE) return { kind: 'list', of: fromNode(ctx, node.type) }
  return named(ctx, node.name.value)
}

function named(ctx: Context, name: string): NamedType {
  const { metadata } = ctx.model.customTypes
  const object = metadata.objects.find((type) => type.name === name)
  if (object)
    return ctx.object(name, object.description ?? null, () =>
      byName([
        ...object.fields.map((f) =>
          field(
            f.name,
            typeOf(ctx, f.type),
            { kind: 'plain' },
            { description: f.description ?? null },
          ),
        ),
        ...(ctx.model.customTypes.relationships.get(name) ?? []).flatMap((r) => related(ctx, r)),
      ]),
    )
  const inputObject = metadata.input_objects.find((type) => type.name === name)
  if (inputObject)
    return ctx.input(name, inputObject.description ?? null, () =>
      byName(
        inputObject.fields.map(
          (f): InputField =>
            input(
              f.name,
              typeOf(ctx, f.type),
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
  return scalarNamed(ctx, name)
}

/** GraphQL's own scalars, those an action defines, and those of the database by their GraphQL names. */
function scalarNamed(ctx: Context, name: string): NamedType {
  const custom = ctx.model.customTypes.metadata.scalars.find((type) => type.name === name)
  if (custom) return ctx.scalar(name, null, custom.description ?? null)
  if (name === 'ID') return ctx.scalar(name, null)
  return ctx.scalar(name, builtIn(postgresName(name)))
}

function related(ctx: Context, relationship: ActionRelationship): Field[] {
  const { name, remote, kind } = relationship
  const permission = ctx.access(remote).select
  if (!permission) return []
  const row = rowType(ctx, remote)
  const meaning = { kind: 'actionRelationship', relationship } as const
  if (kind === 'object')
    return [field(name, row, meaning, { description: relationship.description })]
  const args = rowsArguments(ctx, remote)
  const rows = field(name, required(listOf(row)), meaning, {
    args,
    description: relationship.description,
  })
  if (!permission.aggregations) return [rows]
  const type = required(aggregateType(ctx, remote, row))
  return [rows, field(`${name}_aggregate`, type, meaning, { args })]
}
