import { ownValue } from '../../json/own-value.ts'
import type { RemoteSchemaDefinitionMetadata } from '../../metadata/remote-schemas.ts'
import { BUILT_IN_SCALARS, type RemoteTypes } from './remote-types.ts'

/** The names that a remote schema's types and fields have in ours. */
export type Customization = {
  /** The root field under which all of its root fields are; null if they are among ours. */
  namespace: string | null
  typeName(original: string): string
  /** The type's own name. */
  originalType(name: string): string
  fieldName(parentType: string, original: string): string
  /** Whether any type has another name than its own. */
  renamesTypes: boolean
}

/** Makes the names that a definition asks for. */
export function customizationOf(
  { customization }: RemoteSchemaDefinitionMetadata,
  { types }: Pick<RemoteTypes, 'types'>,
): Customization {
  const typeName = renamed(customization?.type_names)
  const names = [...types.keys()].filter((name) => !BUILT_IN_SCALARS.has(name))
  const customized = new Map(names.map((name) => [name, typeName(name)]))
  const originals = new Map([...customized].map(([original, name]) => [name, original]))
  const fields = new Map(
    (customization?.field_names ?? []).map((rule) => [rule.parent_type, renamed(rule)]),
  )
  return {
    namespace: customization?.root_fields_namespace ?? null,
    typeName: (original) => customized.get(original) ?? original,
    originalType: (name) => originals.get(name) ?? name,
    fieldName: (parent, original) => fields.get(parent)?.(original) ?? original,
    renamesTypes: [...customized].some(([original, name]) => original !== name),
  }
}

type Renaming = {
  prefix?: string | null | undefined
  suffix?: string | null | undefined
  mapping?: Record<string, string> | null | undefined
}

/** A name of the mapping counts as it is; all others get the prefix and the suffix. */
function renamed(rule: Renaming | null | undefined): (name: string) => string {
  const { prefix, suffix, mapping } = rule ?? {}
  return (name) => ownValue(mapping ?? {}, name) ?? `${prefix ?? ''}${name}${suffix ?? ''}`
}
