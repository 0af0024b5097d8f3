import type { SourceMetadata } from '../../metadata/metadata.ts'
import type { Catalog } from '../../postgres/catalog.ts'
import { addComputedFields } from './functions/computed-fields.ts'
import { resolveFunctions } from './functions/functions.ts'
import { resolveNativeQueries } from './functions/native-queries.ts'
import type { InconsistencyReport } from './inconsistency.ts'
import type { ModelSettings } from './model.ts'
import { createSourceNaming } from './naming.ts'
import { type RootNames, rootNamesInside } from './root-names.ts'
import { inheritPermissions } from './tables/inherited-roles.ts'
import { addPermissions } from './tables/permissions.ts'
import { addRelationships } from './tables/relationships.ts'
import { addTables, type UnfinishedSource } from './tables/tables.ts'
import { resolveEventTriggers } from './triggers/event-triggers.ts'

type SourceInput = {
  metadata: SourceMetadata
  catalog: Catalog
  settings: ModelSettings
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  /** The root fields of all sources. */
  roots: RootNames
  /** The names of the event triggers of all sources. */
  triggerNames: Set<string>
  errors: InconsistencyReport
}

/**
 * Resolves a source against the catalogue of its database, except the remote relationships of its tables: their targets
 * are resolved later.
 *
 * @returns null if the source's namespace is another object's root field
 */
export function buildSource(input: SourceInput): UnfinishedSource | null {
  const { metadata, catalog, settings, inheritedRoles, errors } = input
  const { name } = metadata
  const naming = createSourceNaming(metadata, settings)
  const subject = { type: 'source', name: `source ${name}`, definition: name, source: name }
  const names = errors.attempt(subject, () =>
    naming.namespace === null ? input.roots : rootNamesInside(input.roots, naming.namespace, name),
  )
  if (!names) return null
  const source: UnfinishedSource = {
    name,
    naming,
    tables: new Map(),
    functions: [],
    nativeQueries: [],
    eventTriggers: new Map(),
  }
  const common = { source, settings, names, errors }
  addTables({ ...common, catalog, tracked: metadata.tables })
  addRelationships(source.tables, errors)
  addComputedFields(source.tables, catalog, errors)
  const nativeQueries = resolveNativeQueries({ ...common, tracked: metadata, inheritedRoles })
  addPermissions(source.tables, settings, errors)
  inheritPermissions([...source.tables.values()], inheritedRoles, errors)
  return Object.assign(source, {
    nativeQueries,
    functions: resolveFunctions({
      ...common,
      catalog,
      tracked: metadata.functions,
      inheritedRoles,
    }),
    eventTriggers: resolveEventTriggers({
      ...common,
      tracked: metadata.tables,
      names: input.triggerNames,
    }),
  })
}
