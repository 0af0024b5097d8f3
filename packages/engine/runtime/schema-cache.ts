import type { GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import type { Catalogs } from '../compiler/model/build-model.ts'
import { type Inconsistency, Inconsistent } from '../compiler/model/inconsistency.ts'
import type { Model } from '../compiler/model/model.ts'
import type { Operation } from '../compiler/plan/document/operation.ts'
import { relaySchema } from '../compiler/schema/relay/relay-schema.ts'
import { type RoleSchema, roleSchema } from '../compiler/schema/role-schema.ts'
import { EngineError } from '../errors.ts'
import type { Metadata } from '../metadata/metadata.ts'
import type { Session } from '../session/session.ts'
import type { PrintedPlan } from './database/printed-plan.ts'
import type { Connections } from './database/source-connections.ts'
import type { OpenSource } from './database/sources.ts'
import type { GraphqlApi } from './graphql-request.ts'

/** The resolved metadata, and the caches that depend on it. A reload replaces it as a whole. */
export type SchemaCache = {
  metadata: Metadata
  model: Model
  inconsistencies: readonly Inconsistency[]
  /** The catalogues of the databases that the metadata was resolved against. */
  catalogs: Catalogs
  /** The served sources, by name. */
  sources: ReadonlyMap<string, OpenSource>
  /**
   * Returns a source.
   *
   * @throws not-exists, or unexpected if it is inconsistent
   */
  source(name: string): OpenSource
  /** Returns a session's connections to a source. @throws like `source` */
  connections(source: string, session: Pick<Session, 'basis'>): Connections
  /** Returns the schema of a role, which is built for the role's first request. */
  role(session: Pick<Session, 'role' | 'backendOnly'>, api?: GraphqlApi): RoleCache
  /** Returns the cached operations. Sessions with the admin secret have a separate cache. */
  operations(session: Pick<Session, 'basis'>): LRUCache<string, CachedOperation>
}

/** The schema of a role. */
export type RoleCache = {
  schema: RoleSchema
  /**
   * Returns the schema in graphql-js's form, built on first use.
   *
   * @throws not-supported if the role may not introspect
   */
  introspection(): Promise<GraphQLSchema>
}

/** A parsed operation with its plans. Combinations of variables that need different SQL have different plans. */
export type CachedOperation = {
  operation: Operation
  plans: readonly PrintedPlan[]
  /** True if it was slow with some values. Its cost is then estimated for all values. */
  isSlow: boolean
}

/** Wraps a resolved model with empty caches. `openedSources` has the databases that the metadata was resolved against. */
export function buildSchemaCache(
  model: Model,
  openedSources: ReadonlyMap<string, OpenSource | Inconsistent>,
): SchemaCache {
  const sources = servedSources(model, openedSources)
  const source = (name: string) => sources.get(name) ?? refuseSource(model.metadata, name)
  const roles = { graphql: roleCaches(), relay: roleCaches() }
  const operations = { trusted: operationCache(), callers: operationCache() }
  return {
    metadata: model.metadata,
    model,
    inconsistencies: model.inconsistencies,
    catalogs: catalogsOf(openedSources),
    sources,
    source,
    connections: (name, session) => source(name).connections.of(session),
    role({ role, backendOnly }, api = 'graphql') {
      const caches = backendOnly ? roles[api].backend : roles[api].any
      const cached = caches.get(role)
      if (cached) return cached
      const created = createRoleCache(model, role, SCHEMAS[api](model, role, backendOnly))
      caches.set(role, created)
      return created
    },
    operations: ({ basis }) => (basis === 'secret' ? operations.trusted : operations.callers),
  }
}

function servedSources(
  { sources }: Model,
  openedSources: ReadonlyMap<string, OpenSource | Inconsistent>,
): ReadonlyMap<string, OpenSource> {
  const entries = [...openedSources].flatMap(([name, source]) =>
    sources.has(name) && !(source instanceof Inconsistent) ? [[name, source] as const] : [],
  )
  return new Map(entries)
}

/** Returns the catalogues of the sources' databases. */
export function catalogsOf(
  openedSources: ReadonlyMap<string, OpenSource | Inconsistent>,
): Catalogs {
  return new Map(
    [...openedSources].map(([name, source]) => [
      name,
      source instanceof Inconsistent ? source : source.catalog,
    ]),
  )
}

function refuseSource({ sources }: Metadata, name: string): never {
  if (sources.some((source) => source.name === name))
    throw new EngineError('unexpected', `source with name "${name}" is inconsistent`)
  throw new EngineError('not-exists', `source with name "${name}" does not exist`)
}

/** The functions that build a role's schema, by API. */
const SCHEMAS = { graphql: roleSchema, relay: relaySchema }

function roleCaches() {
  return {
    any: new LRUCache<string, RoleCache>({ max: MAX_ROLES }),
    backend: new LRUCache<string, RoleCache>({ max: MAX_ROLES }),
  }
}

/** The maximum number of cached roles. Limited because sessions may name any role. */
const MAX_ROLES = 500

/** The approximate memory for each of the two caches of operations. */
const MAX_OPERATIONS_BYTES = 64 * 1024 * 1024

function operationCache(): LRUCache<string, CachedOperation> {
  return new LRUCache({ maxSize: MAX_OPERATIONS_BYTES, sizeCalculation: operationBytes })
}

/**
 * The approximate memory for each character of a parsed document, each character of a plan's SQL, and each decision of a plan.
 * A plan for thousands of rows has a short text, but a decision for each value.
 */
const BYTES_PER_CHARACTER = 60
const BYTES_PER_CHARACTER_OF_SQL = 8
const BYTES_PER_DECISION = 600

function operationBytes({ plans }: CachedOperation, key: string): number {
  const bytes = plans.map(planBytes)
  return bytes.reduce((sum, size) => sum + size, key.length * BYTES_PER_CHARACTER)
}

function planBytes({ batches, live, decisions }: PrintedPlan): number {
  const statements = [...batches.flatMap((batch) => batch.statements), ...(live ? [live] : [])]
  const characters = statements.reduce((sum, { text }) => sum + text.length, 0)
  return characters * BYTES_PER_CHARACTER_OF_SQL + decisions.length * BYTES_PER_DECISION
}

function createRoleCache(model: Model, role: string, schema: RoleSchema): RoleCache {
  let introspection: Promise<GraphQLSchema> | null = null
  return {
    schema,
    async introspection() {
      const { disabled_for_roles = [] } = model.metadata.graphql_schema_introspection ?? {}
      if (disabled_for_roles.includes(role))
        throw new EngineError('not-supported', `introspection is disabled for role: "${role}"`)
      introspection ??= loadIntrospectionSchema(schema)
      return introspection
    },
  }
}

/** Builds the schema. Imports the module on first use, because only this module needs most of graphql-js. */
async function loadIntrospectionSchema(schema: RoleSchema): Promise<GraphQLSchema> {
  const { toGraphQLSchema } = await import('../compiler/schema/introspection.ts')
  return toGraphQLSchema(schema)
}
