import type { ConstValueNode } from 'graphql'

/** The types of a remote schema under their original names: all types, or the types that a role may use. */
export type RemoteTypes = {
  roots: Readonly<Record<RemoteRoot, string | null>>
  types: ReadonlyMap<string, RemoteType>
}

export type RemoteRoot = 'query' | 'mutation' | 'subscription'

export type RemoteType = { name: string; description: string | null } & (
  | { kind: 'scalar' }
  | { kind: 'enum'; values: readonly { name: string; description: string | null }[] }
  | { kind: 'input'; fields: RemoteInputs }
  | { kind: 'object'; fields: RemoteFields; interfaces: readonly string[] }
  /** `members` are the object types that implement the interface. */
  | { kind: 'interface'; fields: RemoteFields; members: readonly string[] }
  | { kind: 'union'; members: readonly string[] }
)

export type RemoteFields = ReadonlyMap<string, RemoteField>
export type RemoteInputs = ReadonlyMap<string, RemoteInput>

export type RemoteField = {
  name: string
  description: string | null
  type: RemoteTypeRef
  args: RemoteInputs
}

/** An argument, or a field of an input object. */
export type RemoteInput = {
  name: string
  description: string | null
  type: RemoteTypeRef
  defaultValue: ConstValueNode | null
  /** The value that a role's permission sets; null if the caller sets the value. A caller cannot change a preset. */
  preset: RemotePreset | null
}

export type RemotePreset =
  | { kind: 'session'; variable: string }
  | { kind: 'value'; value: ConstValueNode }

/** A type's name with its wrapping; a type is nullable unless it is `required`. */
export type RemoteTypeRef =
  | { kind: 'required'; of: RemoteTypeRef }
  | { kind: 'list'; of: RemoteTypeRef }
  | { kind: 'named'; name: string }

/** The scalars that every GraphQL server has. */
export const BUILT_IN_SCALARS: ReadonlySet<string> = new Set([
  'Int',
  'Float',
  'String',
  'Boolean',
  'ID',
])

/** Returns the name inside all wrapping. */
export function remoteTypeName(type: RemoteTypeRef): string {
  return type.kind === 'named' ? type.name : remoteTypeName(type.of)
}

/** Returns the type in GraphQL's notation. */
export function remoteTypeText(type: RemoteTypeRef): string {
  if (type.kind === 'required') return `${remoteTypeText(type.of)}!`
  return type.kind === 'list' ? `[${remoteTypeText(type.of)}]` : type.name
}

/** Returns the fields of a root; none if the schema has no such root. */
export function rootFieldsOf({ roots, types }: RemoteTypes, root: RemoteRoot): RemoteFields {
  const name = roots[root]
  const type = name === null ? undefined : types.get(name)
  return type?.kind === 'object' ? type.fields : new Map()
}
