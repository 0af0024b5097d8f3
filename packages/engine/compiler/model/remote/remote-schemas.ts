import { quotedNames } from '../../../json/quoted-names.ts'
import type { Metadata } from '../../../metadata/metadata.ts'
import type { RemoteSchemaMetadata } from '../../../metadata/remote-schemas.ts'
import { missingVariablesMessage } from '../../../outgoing/environment.ts'
import { customizationOf } from '../customization.ts'
import { ConflictingObjects, type InconsistencyReport, Inconsistent } from '../inconsistency.ts'
import type { ModelSettings, RemoteSchema } from '../model.ts'
import { BUILT_IN_SCALARS, type RemoteTypes, rootFieldsOf } from '../remote-types.ts'
import { namesInRoots, type RootName, type RootNames } from '../root-names.ts'
import { permittedTypes } from './permitted-types.ts'

/** What each remote server has said about itself, by the name of the remote schema; or why it has not. */
export type IntrospectedSchemas = ReadonlyMap<string, RemoteTypes | Inconsistent>

export type RemoteSchemasInput = {
  metadata: Metadata
  introspected: IntrospectedSchemas
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  /** The names of other types. */
  typeNames: ReadonlySet<string>
  settings: ModelSettings
  names: RootNames
  errors: InconsistencyReport
}

/** Resolves the remote schemas and their permissions; their relationships are added later. */
export function resolveRemoteSchemas(input: RemoteSchemasInput): Map<string, RemoteSchema> {
  const { metadata, errors } = input
  const found = new Map<string, RemoteSchema>()
  for (const given of metadata.remote_schemas) {
    const { name } = given
    const subject = { type: 'remote_schema', name: `remote_schema ${name}`, definition: given }
    const resolved = errors.attempt(subject, () => resolveRemoteSchema(given, input, found))
    if (resolved) found.set(name, resolved)
  }
  return found
}

function resolveRemoteSchema(
  given: RemoteSchemaMetadata,
  input: RemoteSchemasInput,
  others: ReadonlyMap<string, RemoteSchema>,
): RemoteSchema {
  const { name, definition } = given
  requireEnvironment(given, input.settings)
  const types = input.introspected.get(name)
  if (!types) throw new Inconsistent(`the remote schema "${name}" was not asked for its types`)
  if (types instanceof Inconsistent) throw types
  const customization = customizationOf(definition, types)
  const schema = { name, definition, types, customization, relationships: new Map() }
  refuseTypeNames(schema, input.typeNames, [...others.values()])
  reserveNames(schema, input.names)
  return { ...schema, roles: resolvePermissions(given, types, input) }
}

function requireEnvironment({ definition }: RemoteSchemaMetadata, { environment }: ModelSettings) {
  const { url, url_from_env, headers } = definition
  const webhook = { address: url, fromEnv: url_from_env, headers: headers ?? [] }
  const missing = missingVariablesMessage(webhook, environment)
  if (missing !== null) throw new Inconsistent(missing)
}

type Named = Pick<RemoteSchema, 'name' | 'types' | 'customization'>

/** Refuses types whose names are taken; several remote schemas may have the same type. */
function refuseTypeNames(schema: Named, taken: ReadonlySet<string>, others: readonly Named[]) {
  const own = definitionsByName(schema)
  const theirs = others.map(definitionsByName)
  const conflicting = [...own].filter(
    ([name, text]) =>
      taken.has(name) || theirs.some((other) => other.has(name) && other.get(name) !== text),
  )
  if (conflicting.length === 0) return
  const names = conflicting.map(([name]) => name)
  throw new Inconsistent(
    `Found conflicting definitions for GraphQL types ${quotedNames(names)}: give them other names by a customization`,
  )
}

/** Each type as text by the name that it has in ours; without scalars, and without roots, which have other names. */
function definitionsByName({ types: { roots, types }, customization }: Named): Map<string, string> {
  const rootNames = Object.values(roots)
  const shown = [...types.values()].filter(
    ({ name, kind }) =>
      kind !== 'scalar' && !BUILT_IN_SCALARS.has(name) && !rootNames.includes(name),
  )
  return new Map(
    shown.map((type) => [customization.typeName(type.name), JSON.stringify(type, plainMaps)]),
  )
}

function plainMaps(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value
}

/** Reserves the names in our roots. What was there before stays: only this schema is left out if a name is taken. */
function reserveNames({ name, types, customization }: Named, names: RootNames): void {
  try {
    names.reserve(`remote schema ${name}`, rootNamesOf(types, customization))
  } catch (cause) {
    if (cause instanceof ConflictingObjects) throw new Inconsistent(cause.message, { cause })
    throw cause
  }
}

function rootNamesOf(types: RemoteTypes, customization: Named['customization']): RootName[] {
  return (['query', 'mutation', 'subscription'] as const).flatMap((root) => {
    const parent = types.roots[root]
    if (parent === null) return []
    const fields = [...rootFieldsOf(types, root).keys()]
    const { namespace } = customization
    const shown =
      namespace === null ? fields.map((f) => customization.fieldName(parent, f)) : [namespace]
    return namesInRoots([ROOT_OBJECTS[root]], shown)
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
    const permitted = errors.attempt(subject, () => permittedTypes(definition.schema, types))
    if (!permitted) continue
    roles.set(role, permitted)
    texts.set(role, definition.schema)
  }
  for (const [heir, parents] of inheritedRoles) inherit(heir, parents)
  return roles

  /** An heir has the permission that its parents have, if they have the same one. */
  function inherit(heir: string, parents: readonly string[]) {
    if (roles.has(heir)) return
    const having = parents.filter((parent) => roles.has(parent))
    const [first] = having
    if (first === undefined) return
    const permitted = roles.get(first)
    const text = texts.get(first)
    if (!permitted || text === undefined) return
    if (having.every((parent) => texts.get(parent) === text)) {
      roles.set(heir, permitted)
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
