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

/** A remote schema with the part of it that a role may use. */
export type VisibleSchema = {
  schema: RemoteSchema
  types: RemoteTypes
  /** The fields of a type that are relationships. */
  relationshipFields(typeName: string): Field[]
}

/** The fields of an object or interface of a remote schema, under their names in ours. */
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

/** A field of a remote schema under another name. */
export function remoteField(
  ctx: SchemaContext,
  visible: VisibleSchema,
  name: string,
  field: RemoteField,
): Field {
  const type = remoteTypeRef(ctx, visible, field.type)
  const args = givenInputs(field.args).map((arg) => remoteInputField(ctx, visible, arg))
  return objectField(name, type, remoteMeaning(field), { args, description: field.description })
}

/** What a field means for the remote server. */
export function remoteMeaning({ name, args }: RemoteField) {
  return { kind: 'remote', name, presets: presetInputs(args) } as const
}

function presetInputs(inputs: RemoteInputs): RemoteInput[] {
  return [...inputs.values()].filter(({ preset }) => preset !== null)
}

function givenInputs(inputs: RemoteInputs): RemoteInput[] {
  return [...inputs.values()].filter(({ preset }) => preset === null)
}

/** An argument, or a field of an input object, with its type in ours. */
function remoteInputField(
  ctx: SchemaContext,
  visible: VisibleSchema,
  { name, description, type, defaultValue }: RemoteInput,
): InputField {
  const defaultText = defaultValue && print(defaultValue)
  const meaning = { kind: 'plain' } as const
  const shown = remoteTypeRef(ctx, visible, type)
  return inputField(name, shown, meaning, { description, defaultText })
}

/** A type of a remote schema with its wrapping. */
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
      const inputs = givenInputs(type.fields)
      const fields = () => fieldsByName(inputs.map((one) => remoteInputField(ctx, visible, one)))
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
    [...types.values()].flatMap((one) => {
      if (!('members' in one) || !one.members.includes(type.name)) return []
      const built = remoteNamedType(ctx, visible, one.name)
      return built.kind === 'interface' || built.kind === 'union' ? [built] : []
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
  const own = type.kind === 'interface' ? [...type.fields.values()] : []
  const fields = lazily(() => fieldsByName(remoteFields(ctx, visible, type.name, own)))
  const members = lazily(() =>
    type.members.flatMap((member) => {
      const built = remoteNamedType(ctx, visible, member)
      return built.kind === 'object' ? [built] : []
    }),
  )
  return { kind: type.kind, name, description: type.description, fields, members }
}

/** Types refer to each other in cycles, so their fields are built when first needed. */
function lazily<T>(build: () => T): () => T {
  const made: T[] = []
  return () => {
    const [known] = made
    if (known !== undefined) return known
    const built = build()
    made.push(built)
    return built
  }
}
