import { parseInWords } from '../../../../lib/runtime/parse-in-words.ts'
import { ConfigError } from '../../config/config.ts'
import { Metadata } from '../../metadata/metadata.ts'

/**
 * Parses HASURA_GRAPHQL_METADATA_DEFAULTS: metadata in which every top-level key is optional.
 *
 * @throws ConfigError
 */
export function readMetadataDefaults(json: object): Metadata {
  const defaults = parseInWords(Metadata, json)
  if (defaults.success) return defaults.data
  const faults = defaults.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new ConfigError(`HASURA_GRAPHQL_METADATA_DEFAULTS is not metadata. ${faults.join(' ')}`)
}

/**
 * Adds to the metadata each default object, unless the metadata has an object with the same name. Also adds the default
 * `graphql_schema_introspection`, if the metadata has none. The engine serves the defaults, but does not store or export
 * them.
 *
 * @see Hasura.RQL.Types.Metadata, `overrideMetadataDefaults`
 */
export function withMetadataDefaults(metadata: Metadata, defaults: Metadata): Metadata {
  const { custom_types: types } = metadata
  const { custom_types: defaultEntries } = defaults
  return {
    ...metadata,
    sources: addMissing(metadata.sources, defaults.sources, nameOf),
    actions: addMissing(metadata.actions, defaults.actions, nameOf),
    cron_triggers: addMissing(metadata.cron_triggers, defaults.cron_triggers, nameOf),
    query_collections: addMissing(metadata.query_collections, defaults.query_collections, nameOf),
    rest_endpoints: addMissing(metadata.rest_endpoints, defaults.rest_endpoints, nameOf),
    remote_schemas: addMissing(metadata.remote_schemas, defaults.remote_schemas, nameOf),
    allowlist: addMissing(metadata.allowlist, defaults.allowlist, ({ collection }) => collection),
    inherited_roles: addMissing(
      metadata.inherited_roles,
      defaults.inherited_roles,
      ({ role_name }) => role_name,
    ),
    custom_types: {
      input_objects: addMissing(types.input_objects, defaultEntries.input_objects, nameOf),
      objects: addMissing(types.objects, defaultEntries.objects, nameOf),
      scalars: addMissing(types.scalars, defaultEntries.scalars, nameOf),
      enums: addMissing(types.enums, defaultEntries.enums, nameOf),
    },
    graphql_schema_introspection:
      metadata.graphql_schema_introspection ?? defaults.graphql_schema_introspection,
  }
}

const nameOf = ({ name }: { name: string }) => name

function addMissing<T>(
  entries: readonly T[],
  defaultEntries: readonly T[],
  keyOf: (entry: T) => string,
): T[] {
  const keys = new Set(entries.map(keyOf))
  return [...entries, ...defaultEntries.filter((entry) => !keys.has(keyOf(entry)))]
}
