import type { PgType } from '../../postgres/catalog.ts'
import type { EnumType as DatabaseEnum } from '../model/model.ts'
import type { RemoteInput } from '../model/remote-types.ts'
import type { FieldMeaning, InputMeaning } from './field-meaning.ts'

/** A type with GraphQL's wrapping: it is nullable unless it is `required`. */
export type TypeRef = { kind: 'required'; of: TypeRef } | { kind: 'list'; of: TypeRef } | NamedType

export type NamedType = ScalarType | EnumType | InputType | ObjectType | AbstractType

export type ScalarType = {
  kind: 'scalar'
  name: string
  description: string | null
  /** The type by which its values are checked; null for scalars that actions define. */
  type: PgType | null
}

export type EnumType = {
  kind: 'enum'
  name: string
  description: string | null
  values: readonly { name: string; description: string | null }[]
  /** Set when the values are rows of a table. */
  database: DatabaseEnum | null
}

export type InputType = {
  kind: 'input'
  name: string
  description: string | null
  /** Called when first needed, because types refer to each other in cycles. */
  fields: () => ReadonlyMap<string, InputField>
  /** Members that the engine itself gives: what a role may not choose in a remote schema. */
  presets?: readonly RemoteInput[]
}

export type ObjectType = {
  kind: 'object'
  name: string
  description: string | null
  fields: () => ReadonlyMap<string, Field>
  /** The interfaces of this engine that it implements; none when left out. */
  interfaces?: () => readonly InterfaceType[]
  /** Set for a type of a remote schema: its own name there, and the interfaces and unions that have it. */
  remote?: { name: string; abstract: () => readonly AbstractType[] }
}

/** An interface, or a union, which only remote schemas have. */
export type AbstractType = {
  kind: 'interface' | 'union'
  name: string
  description: string | null
  /** Those of an interface. */
  fields: () => ReadonlyMap<string, Field>
  members: () => readonly ObjectType[]
}

export type InterfaceType = AbstractType & { kind: 'interface' }

export type Field = {
  name: string
  description: string | null
  type: TypeRef
  args: ReadonlyMap<string, InputField>
  meaning: FieldMeaning
}

export type InputField = {
  name: string
  description: string | null
  type: TypeRef
  meaning: InputMeaning
  /** The default in GraphQL's notation, for introspection. */
  defaultText: string | null
}

/** The same type, not null. */
export function requiredType(of: TypeRef): TypeRef {
  return of.kind === 'required' ? of : { kind: 'required', of }
}

/** A list of items that are not null. */
export function listType(of: TypeRef): TypeRef {
  return { kind: 'list', of: requiredType(of) }
}

/** The type inside all wrapping. */
export function namedType(type: TypeRef): NamedType {
  return type.kind === 'required' || type.kind === 'list' ? namedType(type.of) : type
}

/** The type in GraphQL's notation: `[Int!]!`. */
export function typeText(type: TypeRef): string {
  if (type.kind === 'required') return `${typeText(type.of)}!`
  return type.kind === 'list' ? `[${typeText(type.of)}]` : type.name
}

/** A field from its parts. */
export function objectField(
  name: string,
  type: TypeRef,
  meaning: FieldMeaning,
  extra: { description?: string | null; args?: readonly InputField[] } = {},
): Field {
  const { description = null, args = [] } = extra
  return { name, type, meaning, description, args: fieldsByName(args) }
}

/** An argument, or a field of an input object, from its parts. */
export function inputField(
  name: string,
  type: TypeRef,
  meaning: InputMeaning = { kind: 'plain' },
  extra: { description?: string | null; defaultText?: string | null } = {},
): InputField {
  const { description = null, defaultText = null } = extra
  return { name, type, meaning, description, defaultText }
}

/** Indexes fields by their names. */
export function fieldsByName<T extends { name: string }>(
  items: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name, item]))
}

/** Whether fields can be selected on the type. */
export function isComposite(type: NamedType): type is ObjectType | AbstractType {
  return type.kind === 'object' || type.kind === 'interface' || type.kind === 'union'
}
