import type { Metadata } from '../metadata/metadata.ts'
import type { Catalog } from '../postgres/catalog.ts'
import { resolveActions } from './actions/actions.ts'
import { resolveCustomTypes } from './actions/custom-types.ts'
import { addComputedFields } from './functions/computed-fields.ts'
import { resolveFunctions } from './functions/functions.ts'
import { resolveNativeQueries } from './functions/native-queries.ts'
import { createReport } from './inconsistency.ts'
import type { Model, ModelSettings, Table } from './model.ts'
import { sourceNaming } from './naming.ts'
import { addRemoteRelationships } from './remote/remote-relationships.ts'
import { type IntrospectedSchemas, resolveRemoteSchemas } from './remote/remote-schemas.ts'
import { reportUnsupported } from './report-unsupported.ts'
import { resolveRestEndpoints } from './rest-endpoints.ts'
import { createRootNames, rootNamesInside } from './root-names.ts'
import { servedSource } from './source-address.ts'
import { inheritPermissions, resolveInheritedRoles } from './tables/inherited-roles.ts'
import { addPermissions } from './tables/permissions.ts'
import { addRelationships } from './tables/relationships.ts'
import { resolveTables } from './tables/tables.ts'
import { resolveCronTriggers } from './triggers/cron-triggers.ts'
import { resolveEventTriggers } from './triggers/event-triggers.ts'

/** What the metadata is resolved against, and how. */
export type ModelInput = {
  catalog: Catalog
  metadata: Metadata
  introspected: IntrospectedSchemas
  settings: ModelSettings
}

/** Resolves metadata against the catalogue. Each object that does not fit is left out and reported. */
export function buildModel({ catalog, metadata, introspected, settings }: ModelInput): Model {
  const errors = createReport()
  reportUnsupported(metadata, errors)
  const source = servedSource(metadata)
  const naming = sourceNaming(source, settings)
  const roots = createRootNames()
  const names = naming.namespace === null ? roots : rootNamesInside(roots, naming.namespace)
  const tracked = source?.tables ?? []
  const tables = resolveTables({ catalog, tracked, settings, naming, names, errors })
  addRelationships(tables, errors)
  addComputedFields(tables, catalog, errors)
  const inheritedRoles = resolveInheritedRoles(metadata, errors)
  const nativeQueries = resolveNativeQueries({ source, tables, inheritedRoles, names, errors })
  addPermissions(tables, settings, errors)
  inheritPermissions([...tables.values()], inheritedRoles, errors)
  const functions = { source, catalog, tables, settings, inheritedRoles, naming, names, errors }
  const types = resolveCustomTypes({ metadata: metadata.custom_types, catalog, tables, errors })
  const trackedFunctions = resolveFunctions(functions)
  const beside = { metadata, settings, inheritedRoles, names: roots, errors }
  const actions = resolveActions({
    ...beside,
    customTypes: types.customTypes,
    types: types.names,
    typesAreConsistent: types.consistent,
  })
  const typeNames = typeNamesOf(tables, metadata)
  const remoteSchemas = resolveRemoteSchemas({ ...beside, introspected, typeNames })
  addRemoteRelationships({ metadata, tables, remoteSchemas, errors })
  return {
    metadata,
    inconsistencies: errors.found,
    tables,
    functions: trackedFunctions,
    nativeQueries,
    customTypes: types.customTypes,
    actions,
    remoteSchemas,
    restEndpoints: resolveRestEndpoints(metadata, errors),
    cronTriggers: resolveCronTriggers(metadata, settings, errors),
    inheritedRoles,
    naming,
    eventTriggers: resolveEventTriggers({ source, tables, settings, errors }),
    settings,
  }
}

/** The names of the types that the tables and the actions have. */
function typeNamesOf(
  tables: ReadonlyMap<string, Table>,
  { custom_types: { objects, input_objects, enums } }: Metadata,
): ReadonlySet<string> {
  const ofTables = [...tables.values()].flatMap(({ rowType, enumType }) =>
    enumType ? [rowType, enumType.name] : [rowType],
  )
  const ofActions = [...objects, ...input_objects, ...enums].map(({ name }) => name)
  return new Set(['query_root', 'mutation_root', 'subscription_root', ...ofTables, ...ofActions])
}
