import { print } from 'graphql/language/index.js'
import type { RemoteSchema } from '../../model/model.ts'
import type {
  RemoteField,
  RemoteInput,
  RemoteInputs,
  RemoteType,
  RemoteTypeRef,
  RemoteTypes,
} from '../../model/remote-types.ts'
import {
  type AbstractType,
  type Field,
  fieldsByName,
  type InputField,
  inputField,
  type NamedType,
  type ObjectType,
  objectField,
  type TypeRef,
} from '../graphql-types.ts'
import type { SchemaContext } from '../schema-context.ts'

/** A remote schema with the part that a role may use. */
export type VisibleSchema = {
  schema: RemoteSchema
  types: RemoteTypes
  /** Returns the fields of a type that are relationships. */
  relationshipFields(typeName: string): Field[]
}

/** Returns the fields of an object or interface of a remote schema under their new names. */
function remoteFields(
  ctx: SchemaContext,
  visible: VisibleSchema,
  parent: string,
  fields: Iterable<RemoteField>,
): Field[] {
  const { customization } = visible.schema
  return [...fields].map((field) =>
    remoteField(ctx, visible, customization.fieldName(parent, field.name), field),
  )
}

/** Creates a field of a remote schema under the name `name`. */
export function remoteField(
  ctx: SchemaContext,
  visible: VisibleSchema,
  name: string,
  field: RemoteField,
): Field {
  const type = remoteTypeRef(ctx, visible, field.type)
  const args = callerInputs(field.args).map((arg) => remoteInputField(ctx, visible, arg))
  return objectField(name, type, remoteMeaning(field), { args, description: field.description })
}

/** Returns the meaning of a field: its name on the remote server, and its presets. */
export function remoteMeaning({ name, args }: RemoteField) {
  return { kind: 'remote', name, presets: presetInputs(args) } as const
}

function presetInputs(inputs: RemoteInputs): RemoteInput[] {
  return [...inputs.values()].filter(({ preset }) => preset !== null)
}

function callerInputs(inputs: RemoteInputs): RemoteInput[] {
  return [...inputs.values()].filter(({ preset }) => preset === null)
}

/** Creates an argument, or a field of an input object, with its type in the engine's schema. */
function remoteInputField(
  ctx: SchemaContext,
  visible: VisibleSchema,
  { name, description, type, defaultValue }: RemoteInput,
): InputField {
  const defaultText = defaultValue && print(defaultValue)
  const meaning = { kind: 'plain' } as const
  const inputType = remoteTypeRef(ctx, visible, type)
  return inputField(name, inputType, meaning, { description, defaultText })
}

/** Returns a type of a remote schema with its wrapping. */
function remoteTypeRef(ctx: SchemaContext, visible: VisibleSchema, type: RemoteTypeRef): TypeRef {
  if (type.kind !== 'named') return { kind: type.kind, of: remoteTypeRef(ctx, visible, type.of) }
  return remoteNamedType(ctx, visible, type.name)
}

function remoteNamedType(ctx: SchemaContext, visible: VisibleSchema, original: string): NamedType {
  const name = visible.schema.customization.typeName(original)
  return ctx.remoteType(name, () => {
    const type = visible.types.types.get(original)
    return type
      ? buildType(ctx, visible, name, type)
      : { kind: 'scalar', name, description: null, type: null }
  })
}

function buildType(
  ctx: SchemaContext,
  visible: VisibleSchema,
  name: string,
  type: RemoteType,
): NamedType {
  const { description } = type
  switch (type.kind) {
    case 'scalar':
      return { kind: 'scalar', name, description, type: null }
    case 'enum':
      return { kind: 'enum', name, description, values: type.values, database: null }
    case 'input': {
      const inputs = callerInputs(type.fields)
      const fields = () =>
        fieldsByName(inputs.map((input) => remoteInputField(ctx, visible, input)))
      return { kind: 'input', name, description, fields, presets: presetInputs(type.fields) }
    }
    case 'object':
      return buildObject(ctx, visible, name, type)
    case 'interface':
    case 'union':
      return buildAbstract(ctx, visible, name, type)
  }
}

function buildObject(
  ctx: SchemaContext,
  visible: VisibleSchema,
  name: string,
  type: Extract<RemoteType, { kind: 'object' }>,
): ObjectType {
  const { types } = visible.types
  const abstract = () =>
    [...types.values()].flatMap((candidate) => {
      if (!('members' in candidate) || !candidate.members.includes(type.name)) return []
      const abstractType = remoteNamedType(ctx, visible, candidate.name)
      return abstractType.kind === 'interface' || abstractType.kind === 'union'
        ? [abstractType]
        : []
    })
  const fields = lazily(() =>
    fieldsByName([
      ...remoteFields(ctx, visible, type.name, type.fields.values()),
      ...visible.relationshipFields(type.name),
    ]),
  )
  const { description } = type
  return { kind: 'object', name, description, fields, remote: { name: type.name, abstract } }
}

function buildAbstract(
  ctx: SchemaContext,
  visible: VisibleSchema,
  name: string,
  type: Extract<RemoteType, { kind: 'interface' | 'union' }>,
): AbstractType {
  const remoteFieldsOfType = type.kind === 'interface' ? [...type.fields.values()] : []
  const fields = lazily(() =>
    fieldsByName(remoteFields(ctx, visible, type.name, remoteFieldsOfType)),
  )
  const members = lazily(() =>
    type.members.flatMap((member) => {
      const memberType = remoteNamedType(ctx, visible, member)
      return memberType.kind === 'object' ? [memberType] : []
    }),
  )
  return { kind: type.kind, name, description: type.description, fields, members }
}

/**
 * Creates a function that builds a value on its first call. Types need this, because they refer to each other in
 * cycles.
 */
function lazily<T>(build: () => T): () => T {
  const cache: T[] = []
  return () => {
    const [cached] = cache
    if (cached !== undefined) return cached
    const value = build()
    cache.push(value)
    return value
  }
}
