import { quotedNames } from '../../../json/quoted-names.ts'
import type { Metadata } from '../../../metadata/metadata.ts'
import type { RemoteSchemaMetadata } from '../../../metadata/remote-schemas.ts'
import { missingVariablesMessage } from '../../../outgoing/environment.ts'
import { createCustomization } from '../customization.ts'
import { ConflictingObjects, type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type { ModelSettings, RemoteSchema } from '../model.ts'
import { BUILT_IN_SCALARS, type RemoteTypes, rootFieldsOf } from '../remote-types.ts'
import { namesInRoots, type RootName, type RootNames } from '../root-names.ts'
import { readPermittedTypes } from './permitted-types.ts'

/** The types of each remote server, by the name of the remote schema, or the reason why they are unknown. */
export type IntrospectedSchemas = ReadonlyMap<string, RemoteTypes | Inconsistent>

export type RemoteSchemasInput = {
  metadata: Metadata
  introspected: IntrospectedSchemas
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  /** The type names that tables, actions and the roots use. */
  typeNames: ReadonlySet<string>
  settings: ModelSettings
  names: RootNames
  errors: InconsistencyReport
}

/** Resolves the remote schemas and their permissions; their relationships are added later. */
export function resolveRemoteSchemas(input: RemoteSchemasInput): Map<string, RemoteSchema> {
  const { metadata, errors } = input
  const remoteSchemas = new Map<string, RemoteSchema>()
  for (const schemaMetadata of metadata.remote_schemas) {
    const { name } = schemaMetadata
    const subject = {
      type: 'remote_schema',
      name: `remote_schema ${name}`,
      definition: schemaMetadata,
    }
    const remoteSchema = errors.attempt(subject, () =>
      resolveRemoteSchema(schemaMetadata, input, remoteSchemas),
    )
    if (remoteSchema) remoteSchemas.set(name, remoteSchema)
  }
  return remoteSchemas
}

function resolveRemoteSchema(
  schemaMetadata: RemoteSchemaMetadata,
  input: RemoteSchemasInput,
  previousSchemas: ReadonlyMap<string, RemoteSchema>,
): RemoteSchema {
  const { name, definition } = schemaMetadata
  requireEnvironment(schemaMetadata, input.settings)
  const types = input.introspected.get(name)
  if (!types)
    throw new Inconsistent(`the types of the remote schema "${name}" have not been fetched`)
  if (types instanceof Inconsistent) throw types
  const customization = createCustomization(definition, types)
  const schema = { name, definition, types, customization, relationships: new Map() }
  refuseTypeNames(schema, input.typeNames, [...previousSchemas.values()])
  reserveNames(schema, input.names)
  return { ...schema, roles: resolvePermissions(schemaMetadata, types, input) }
}

function requireEnvironment({ definition }: RemoteSchemaMetadata, { environment }: ModelSettings) {
  const { url, url_from_env, headers } = definition
  const webhook = { address: url, fromEnv: url_from_env, headers: headers ?? [] }
  const problem = missingVariablesMessage(webhook, environment)
  if (problem !== null) throw new Inconsistent(problem)
}

type SchemaNames = Pick<RemoteSchema, 'name' | 'types' | 'customization'>

/**
 * Rejects a remote schema if `typeNames` contains the name of one of its types, or an earlier remote schema has a
 * different type with the same name. Several remote schemas may have the same type.
 */
function refuseTypeNames(
  schema: SchemaNames,
  typeNames: ReadonlySet<string>,
  previousSchemas: readonly SchemaNames[],
) {
  const definitions = definitionsByName(schema)
  const previousDefinitions = previousSchemas.map(definitionsByName)
  const conflicting = [...definitions].filter(
    ([name, text]) =>
      typeNames.has(name) ||
      previousDefinitions.some(
        (otherDefinitions) => otherDefinitions.has(name) && otherDefinitions.get(name) !== text,
      ),
  )
  if (conflicting.length === 0) return
  const names = conflicting.map(([name]) => name)
  throw new Inconsistent(
    `Found conflicting definitions for GraphQL types ${quotedNames(names)}: rename them by a customization`,
  )
}

/** Returns the text of each type by its new name, without scalars and roots, because their names do not conflict. */
function definitionsByName({
  types: { roots, types },
  customization,
}: SchemaNames): Map<string, string> {
  const rootNames = Object.values(roots)
  const visibleTypes = [...types.values()].filter(
    ({ name, kind }) =>
      kind !== 'scalar' && !BUILT_IN_SCALARS.has(name) && !rootNames.includes(name),
  )
  return new Map(
    visibleTypes.map((type) => [
      customization.typeName(type.name),
      JSON.stringify(type, plainMaps),
    ]),
  )
}

function plainMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value
}

/**
 * Reserves the names of the root fields. If another object has one of the names, only this schema is left out.
 * Conflicts between other objects reject the whole metadata.
 */
function reserveNames({ name, types, customization }: SchemaNames, names: RootNames): void {
  try {
    names.reserve(`remote schema ${name}`, rootNamesOf(types, customization))
  } catch (cause) {
    if (cause instanceof ConflictingObjects) throw new Inconsistent(cause.message, { cause })
    throw cause
  }
}

function rootNamesOf(types: RemoteTypes, customization: SchemaNames['customization']): RootName[] {
  return (['query', 'mutation', 'subscription'] as const).flatMap((root) => {
    const parent = types.roots[root]
    if (parent === null) return []
    const fields = [...rootFieldsOf(types, root).keys()]
    const { namespace } = customization
    const names =
      namespace === null ? fields.map((f) => customization.fieldName(parent, f)) : [namespace]
    return namesInRoots([ROOT_OBJECTS[root]], names)
  })
}

const ROOT_OBJECTS = {
  query: 'query_root',
  mutation: 'mutation_root',
  subscription: 'subscription_root',
} as const

function resolvePermissions(
  { name, permissions }: RemoteSchemaMetadata,
  types: RemoteTypes,
  { errors, inheritedRoles }: RemoteSchemasInput,
): ReadonlyMap<string, RemoteTypes> {
  const texts = new Map<string, string>()
  const roles = new Map<string, RemoteTypes>()
  for (const { role, definition } of permissions) {
    const subject = {
      type: 'remote_schema_permission',
      name: `remote_schema_permission ${role} in remote schema ${name}`,
      prefix: `in permission for role "${role}" of remote schema "${name}"`,
      definition: { remote_schema: name, role, definition },
    }
    const permittedTypes = errors.attempt(subject, () =>
      readPermittedTypes(definition.schema, types),
    )
    if (!permittedTypes) continue
    roles.set(role, permittedTypes)
    texts.set(role, definition.schema)
  }
  for (const [heir, parents] of inheritedRoles) inherit(heir, parents)
  return roles

  /** Gives an heir the permission of its parents, if the parents' permissions are equal. */
  function inherit(heir: string, parents: readonly string[]) {
    if (roles.has(heir)) return
    const parentsWithPermission = parents.filter((parent) => roles.has(parent))
    const [first] = parentsWithPermission
    if (first === undefined) return
    const permittedTypes = roles.get(first)
    const text = texts.get(first)
    if (!permittedTypes || text === undefined) return
    if (parentsWithPermission.every((parent) => texts.get(parent) === text)) {
      roles.set(heir, permittedTypes)
      texts.set(heir, text)
      return
    }
    errors.add({
      type: 'inherited role permission inconsistency',
      name: `inherited role ${heir}`,
      reason: `Could not inherit permission for the role ${heir} for the entity: remote schema ${name}`,
      definition: null,
      entity: { permission_type: 'remote_schema', remote_schema: name, role: heir },
    })
  }
}
