import { ownValue } from '../../json/own-value.ts'
import type { RemoteSchemaDefinitionMetadata } from '../../metadata/remote-schemas.ts'
import { BUILT_IN_SCALARS, type RemoteTypes } from './remote-types.ts'

/** The new names of the types and fields of a remote schema. */
export type Customization = {
  /** The root field that contains all root fields of the schema; null if they are not nested. */
  namespace: string | null
  typeName(original: string): string
  /** The original name of the type. */
  originalType(name: string): string
  fieldName(parentType: string, original: string): string
  /** True if any type is renamed. */
  renamesTypes: boolean
}

/** Creates the customization of a remote schema from its definition. */
export function createCustomization(
  { customization }: RemoteSchemaDefinitionMetadata,
  { types }: Pick<RemoteTypes, 'types'>,
): Customization {
  const typeName = createRenaming(customization?.type_names)
  const names = [...types.keys()].filter((name) => !BUILT_IN_SCALARS.has(name))
  const newNames = new Map(names.map((name) => [name, typeName(name)]))
  const originals = new Map([...newNames].map(([original, name]) => [name, original]))
  const fields = new Map(
    (customization?.field_names ?? []).map((rule) => [rule.parent_type, createRenaming(rule)]),
  )
  return {
    namespace: customization?.root_fields_namespace ?? null,
    typeName: (original) => newNames.get(original) ?? original,
    originalType: (name) => originals.get(name) ?? name,
    fieldName: (parent, original) => fields.get(parent)?.(original) ?? original,
    renamesTypes: [...newNames].some(([original, name]) => original !== name),
  }
}

type Renaming = {
  prefix?: string | null | undefined
  suffix?: string | null | undefined
  mapping?: Record<string, string> | null | undefined
}

/**
 * Creates a function that renames. A name in the mapping is replaced; every other name gets the prefix and the suffix.
 */
function createRenaming(rule: Renaming | null | undefined): (name: string) => string {
  const { prefix, suffix, mapping } = rule ?? {}
  return (name) => ownValue(mapping ?? {}, name) ?? `${prefix ?? ''}${name}${suffix ?? ''}`
}
