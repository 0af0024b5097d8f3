import type { Metadata } from '../../metadata/metadata.ts'
import type { Catalog } from '../../postgres/catalog.ts'
import { resolveActions } from './actions/actions.ts'
import { resolveCustomTypes } from './actions/custom-types.ts'
import { buildSource } from './build-source.ts'
import { createReport, type InconsistencyReport, Inconsistent } from './inconsistency.ts'
import type { Model, ModelSettings, SourceModel } from './model.ts'
import { addRemoteRelationships } from './remote/remote-relationships.ts'
import { type IntrospectedSchemas, resolveRemoteSchemas } from './remote/remote-schemas.ts'
import { reportUnsupported } from './report-unsupported.ts'
import { resolveRestEndpoints } from './rest-endpoints.ts'
import { createRootNames, type RootNames } from './root-names.ts'
import { postgresSources } from './source-address.ts'
import { resolveInheritedRoles } from './tables/inherited-roles.ts'
import type { UnfinishedSource } from './tables/tables.ts'
import { resolveCronTriggers } from './triggers/cron-triggers.ts'

/** The catalogue of each source's database, by the source's name, or the reason why it is unknown. */
export type Catalogs = ReadonlyMap<string, Catalog | Inconsistent>

/** The metadata, and the context in which it is resolved. */
export type ModelInput = {
  catalogs: Catalogs
  metadata: Metadata
  introspected: IntrospectedSchemas
  settings: ModelSettings
}

/** Resolves metadata against the catalogues. Invalid objects are left out and reported. */
export function buildModel({ catalogs, metadata, introspected, settings }: ModelInput): Model {
  const errors = createReport()
  reportUnsupported(metadata, errors)
  const roots = createRootNames()
  const inheritedRoles = resolveInheritedRoles(metadata, errors)
  const common = { metadata, settings, inheritedRoles, errors }
  const sources = buildSources({ ...common, catalogs, roots })
  const types = resolveCustomTypes({
    metadata: metadata.custom_types,
    sources,
    databaseTypes: databaseTypes(catalogs),
    errors,
  })
  const actions = resolveActions({
    ...common,
    names: roots,
    customTypes: types.customTypes,
    types: types.names,
    typesAreConsistent: types.consistent,
  })
  const typeNames = typeNamesOf(sources, metadata)
  const remoteSchemas = resolveRemoteSchemas({ ...common, names: roots, introspected, typeNames })
  addRemoteRelationships({ metadata, sources, remoteSchemas, errors })
  return {
    metadata,
    inconsistencies: errors.inconsistencies,
    sources,
    customTypes: types.customTypes,
    actions,
    remoteSchemas,
    restEndpoints: resolveRestEndpoints(metadata, errors),
    cronTriggers: resolveCronTriggers(metadata, settings, errors),
    inheritedRoles,
    settings,
  }
}

type SourcesInput = Pick<ModelInput, 'catalogs' | 'metadata' | 'settings'> & {
  inheritedRoles: ReadonlyMap<string, readonly string[]>
  roots: RootNames
  errors: InconsistencyReport
}

/**
 * Builds the PostgreSQL sources, by name. Reports and leaves out a source with an unknown catalogue, or with a namespace
 * that is another object's root field.
 */
function buildSources({ catalogs, metadata, ...common }: SourcesInput) {
  const triggerNames = new Set<string>()
  const sourceModels = new Map<string, UnfinishedSource>()
  for (const source of postgresSources(metadata)) {
    const { name } = source
    // The definition of a source is its name, not its address, as in Hasura.
    const subject = { type: 'source', name: `source ${name}`, definition: name, source: name }
    const catalog = common.errors.attempt(subject, () => requireCatalog(catalogs, name))
    const sourceModel =
      catalog && buildSource({ ...common, metadata: source, catalog, triggerNames })
    if (sourceModel) sourceModels.set(name, sourceModel)
  }
  return sourceModels
}

function requireCatalog(catalogs: Catalogs, source: string): Catalog {
  const catalog = catalogs.get(source)
  if (!catalog) throw new Inconsistent('its database was not read')
  if (catalog instanceof Inconsistent) throw catalog
  return catalog
}

function databaseTypes(catalogs: Catalogs): ReadonlySet<string> {
  const databaseCatalogs = [...catalogs.values()].flatMap((catalog) =>
    catalog instanceof Inconsistent ? [] : [catalog],
  )
  return new Set(databaseCatalogs.flatMap(({ types }) => [...types]))
}

/**
 * Returns the type names that a remote schema may not use: the row types and enums of tables, the types of actions
 * except scalars, and the three roots.
 */
function typeNamesOf(
  sources: ReadonlyMap<string, SourceModel>,
  { custom_types: { objects, input_objects, enums } }: Metadata,
): ReadonlySet<string> {
  const tables = [...sources.values()].flatMap((source) => [...source.tables.values()])
  const tableTypes = tables.flatMap(({ rowType, enumType }) =>
    enumType ? [rowType, enumType.name] : [rowType],
  )
  const actionTypes = [...objects, ...input_objects, ...enums].map(({ name }) => name)
  return new Set([
    'query_root',
    'mutation_root',
    'subscription_root',
    ...tableTypes,
    ...actionTypes,
  ])
}
