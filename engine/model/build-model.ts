import type { Metadata } from '../metadata/metadata.ts'
import type { Catalog } from '../postgres/catalog.ts'
import { resolveActions } from './actions/actions.ts'
import { resolveCustomTypes } from './actions/custom-types.ts'
import { addComputedFields } from './functions/computed-fields.ts'
import { resolveFunctions } from './functions/functions.ts'
import { resolveNativeQueries } from './functions/native-queries.ts'
import { createReport } from './inconsistency.ts'
import type { Model, ModelSettings } from './model.ts'
import { sourceNaming } from './naming.ts'
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

/** Resolves metadata against the catalogue. Each object that does not fit is left out and reported. */
export function buildModel(catalog: Catalog, metadata: Metadata, settings: ModelSettings): Model {
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
  return {
    metadata,
    inconsistencies: errors.found,
    tables,
    functions: resolveFunctions(functions),
    nativeQueries,
    customTypes: types.customTypes,
    actions: resolveActions({
      metadata,
      customTypes: types.customTypes,
      types: types.names,
      typesAreConsistent: types.consistent,
      settings,
      inheritedRoles,
      names: roots,
      errors,
    }),
    restEndpoints: resolveRestEndpoints(metadata, errors),
    cronTriggers: resolveCronTriggers(metadata, settings, errors),
    inheritedRoles,
    naming,
    eventTriggers: resolveEventTriggers({ source, tables, settings, errors }),
    settings,
  }
}
