import type { PgType } from '../../postgres/catalog.ts'
import type { EnumType as DatabaseEnum } from '../model/model.ts'
import type { RemoteInput } from '../model/remote-types.ts'
import type { FieldMeaning, InputMeaning } from './field-meaning.ts'

/** A type with GraphQL's wrapping; a type is nullable unless it is `required`. */
export type TypeRef = { kind: 'required'; of: TypeRef } | { kind: 'list'; of: TypeRef } | NamedType

export type NamedType = ScalarType | EnumType | InputType | ObjectType | AbstractType

export type ScalarType = {
  kind: 'scalar'
  name: string
  description: string | null
  /** The database type that values are checked against; null for `ID`, and for scalars of actions and remote schemas. */
  type: PgType | null
}

export type EnumType = {
  kind: 'enum'
  name: string
  description: string | null
  values: readonly { name: string; description: string | null }[]
  /** Set if the values are rows of a table. */
  database: DatabaseEnum | null
}

export type InputType = {
  kind: 'input'
  name: string
  description: string | null
  /** Builds the fields when it is first called, because types refer to each other in cycles. */
  fields: () => ReadonlyMap<string, InputField>
  /** The members of a remote schema's input that the role may not set. The engine sends their values instead. */
  presets?: readonly RemoteInput[]
}

export type ObjectType = {
  kind: 'object'
  name: string
  description: string | null
  fields: () => ReadonlyMap<string, Field>
  /** The engine's interfaces that the type implements; undefined for none. */
  interfaces?: () => readonly InterfaceType[]
  /** Set for a type of a remote schema: its original name, and the interfaces and unions that contain it. */
  remote?: { name: string; abstract: () => readonly AbstractType[] }
}

/** An interface, or a union; only remote schemas have unions. */
export type AbstractType = {
  kind: 'interface' | 'union'
  name: string
  description: string | null
  /** The fields of an interface; none for a union. */
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
  /** The default value in GraphQL's notation; null if there is none. */
  defaultText: string | null
}

/** Makes a type non-null. */
export function requiredType(of: TypeRef): TypeRef {
  return of.kind === 'required' ? of : { kind: 'required', of }
}

/** Returns the type of a list of non-null items. */
export function listType(of: TypeRef): TypeRef {
  return { kind: 'list', of: requiredType(of) }
}

/** Returns the type inside all wrapping. */
export function namedType(type: TypeRef): NamedType {
  return type.kind === 'required' || type.kind === 'list' ? namedType(type.of) : type
}

/** Returns the type in GraphQL's notation: `[Int!]!`. */
export function typeText(type: TypeRef): string {
  if (type.kind === 'required') return `${typeText(type.of)}!`
  return type.kind === 'list' ? `[${typeText(type.of)}]` : type.name
}

/** Creates a field. */
export function objectField(
  name: string,
  type: TypeRef,
  meaning: FieldMeaning,
  options: { description?: string | null; args?: readonly InputField[] } = {},
): Field {
  const { description = null, args = [] } = options
  return { name, type, meaning, description, args: fieldsByName(args) }
}

/** Creates an argument, or a field of an input object. */
export function inputField(
  name: string,
  type: TypeRef,
  meaning: InputMeaning = { kind: 'plain' },
  options: { description?: string | null; defaultText?: string | null } = {},
): InputField {
  const { description = null, defaultText = null } = options
  return { name, type, meaning, description, defaultText }
}

/** Indexes fields by name. */
export function fieldsByName<T extends { name: string }>(
  items: readonly T[],
): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name, item]))
}

/** Reports whether fields can be selected on a type. */
export function isComposite(type: NamedType): type is ObjectType | AbstractType {
  return type.kind === 'object' || type.kind === 'interface' || type.kind === 'union'
}
