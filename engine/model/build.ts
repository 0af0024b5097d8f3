import type { Metadata } from '../metadata/metadata.ts'
import type { Catalog } from '../postgres/catalog.ts'
import { resolveActions } from './actions.ts'
import { resolveCronTriggers } from './cron-triggers.ts'
import { resolveCustomTypes } from './custom-types.ts'
import { resolveEventTriggers } from './event-triggers.ts'
import { resolveFunctions } from './functions.ts'
import { report } from './inconsistency.ts'
import type { Model, ModelSettings } from './model.ts'
import { resolveNativeQueries } from './native-queries.ts'
import { resolveRestEndpoints } from './rest-endpoints.ts'
import { rootNames } from './root-names.ts'
import { addComputedFields } from './tables/computed-fields.ts'
import { inheritPermissions, rolesOf } from './tables/inherited-roles.ts'
import { addPermissions } from './tables/permissions.ts'
import { addRelationships } from './tables/relationships.ts'
import { resolveTables } from './tables/tables.ts'
import { reportUnsupported } from './unsupported.ts'

/** Resolves metadata against the catalogue. Each object that does not fit is left out and reported. */
export function buildModel(catalog: Catalog, metadata: Metadata, settings: ModelSettings): Model {
  const errors = report()
  reportUnsupported(metadata, errors)
  const source = metadata.sources.find(({ kind }) => kind === 'postgres' || kind === 'pg')
  const names = rootNames()
  const tables = resolveTables({ catalog, tracked: source?.tables ?? [], settings, names, errors })
  addRelationships(tables, errors)
  addComputedFields(tables, catalog, errors)
  const inheritedRoles = rolesOf(metadata, errors)
  const nativeQueries = resolveNativeQueries({ source, tables, inheritedRoles, names, errors })
  addPermissions(tables, errors)
  inheritPermissions([...tables.values()], inheritedRoles, errors)
  const functions = { source, catalog, tables, settings, inheritedRoles, names, errors }
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
      settings,
      inheritedRoles,
      names,
      errors,
    }),
    restEndpoints: resolveRestEndpoints(metadata, errors),
    cronTriggers: resolveCronTriggers(metadata, settings, errors),
    inheritedRoles,
    eventTriggers: resolveEventTriggers({ source, tables, settings, errors }),
    settings,
  }
}
