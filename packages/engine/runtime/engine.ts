import type { Pool } from 'pg'
import type { Log } from '../../../lib/runtime/log/log.ts'
import type { Inconsistency } from '../compiler/model/inconsistency.ts'
import { readMetadataDefaults, withMetadataDefaults } from '../compiler/model/metadata-defaults.ts'
import type { IntrospectedSchemas } from '../compiler/model/remote/remote-schemas.ts'
import { buildCheckedModel } from '../compiler/schema/checked-model.ts'
import type { Config } from '../config/config.ts'
import { openTypedLog, type TypedLog } from '../log/typed-log.ts'
import { emptyMetadata, type Metadata } from '../metadata/metadata.ts'
import { type Admission, createAdmission } from './callers/admission.ts'
import type { SourceConnections } from './database/source-connections.ts'
import { openSources } from './database/sources.ts'
import { createIntrospections } from './remote/introspections.ts'
import { buildSchemaCache, catalogsOf, type SchemaCache } from './schema-cache.ts'

/** The running engine: its connections, and one immutable schema cache that every reload replaces. */
export type Engine = {
  /** The connections to the metadata's database, which also has the queues of actions and scheduled events. */
  metadataDatabase: SourceConnections
  /**
   * Returns the engine's connections to a source's database, which is often the metadata's database.
   *
   * @throws not-exists if the source does not exist, unexpected if it is inconsistent
   */
  sourcePool(source: string): Pool
  /** Decides when requests run. */
  admission: Admission
  config: Config
  log: Log
  /** The lines of the type `query-log`. */
  queryLog: TypedLog
  /** Returns the current schema cache. A request reads it once, and uses it to its end. */
  schemaCache(): SchemaCache
  /** Returns the introspection results of the remote schemas' servers. */
  introspectedSchemas(): IntrospectedSchemas
  /**
   * Reads the catalogues of all databases again, and resolves the same metadata against them. Also introspects the named remote
   * schemas again, or all of them.
   */
  reload(remoteSchemas?: readonly string[] | 'all'): Promise<readonly Inconsistency[]>
  /** Replaces the metadata. If `accept` rejects, keeps the old metadata. */
  replaceMetadata(metadata: Metadata, accept?: Accept): Promise<readonly Inconsistency[]>
  /**
   * Calls `listener` after each replacement of the schema cache. The replacing call waits for the listener's promise.
   *
   * @returns a function that removes the listener
   */
  onSchemaCacheSwap(listener: SwapListener): () => void
  close(): Promise<void>
}

/** Accepts new metadata, or rejects it because of its inconsistencies. */
export type Accept = (inconsistencies: readonly Inconsistency[]) => Promise<void>

type SwapListener = (cache: SchemaCache) => unknown

/**
 * Connects to the databases, and resolves the metadata against their catalogues. Logs inconsistent objects, and excludes them from
 * the schema.
 *
 * @throws if the metadata's database cannot be reached
 */
export async function openEngine(
  config: Config,
  log: Log,
  metadata: Metadata = emptyMetadata(),
): Promise<Engine> {
  const defaults = readMetadataDefaults(config.metadataDefaults)
  const sources = await openSources(config, log, withMetadataDefaults(metadata, defaults))
  const introspections = createIntrospections(config)
  const listeners = new Set<SwapListener>()
  let current = await resolveCache(metadata)

  async function resolveCache(storedMetadata: Metadata): Promise<SchemaCache> {
    const completeMetadata = withMetadataDefaults(storedMetadata, defaults)
    const [openedSources, introspectedSchemas] = await Promise.all([
      sources.open(completeMetadata),
      introspections.read(completeMetadata),
    ])
    const model = buildCheckedModel({
      catalogs: catalogsOf(openedSources),
      metadata: completeMetadata,
      introspected: introspectedSchemas,
      settings: config,
    })
    for (const { type, name, reason } of model.inconsistencies)
      log.warn({ log_type: 'metadata', type, name, reason }, 'inconsistent metadata')
    return buildSchemaCache(model, openedSources)
  }

  // Replacements run one at a time, so that the latest replacement determines the schema cache.
  let lastReplacement: Promise<unknown> = Promise.resolve()
  function replaceCache(getMetadata: () => Metadata | Promise<Metadata>, accept?: Accept) {
    const replacement = lastReplacement.then(async () => {
      try {
        const cache = await resolveCache(await getMetadata())
        await accept?.(cache.inconsistencies)
        current = cache
      } finally {
        // This also runs after a rejection, to close connections that only the rejected metadata needs.
        sources.closeUnused(current.sources)
      }
      await Promise.all([...listeners].map((listener) => listener(current)))
      return current.inconsistencies
    })
    lastReplacement = replacement.catch(() => {})
    return replacement
  }

  return {
    metadataDatabase: sources.home,
    sourcePool: (source) => current.source(source).connections.pool,
    admission: createAdmission(config, sources.home.callersPart),
    config,
    log,
    queryLog: openTypedLog(log, 'query-log', config),
    schemaCache: () => current,
    introspectedSchemas: introspections.latest,
    reload: (remoteSchemas = []) =>
      replaceCache(() => {
        introspections.forget(remoteSchemas)
        return current.metadata
      }),
    replaceMetadata: (metadata, accept) => replaceCache(() => metadata, accept),
    onSchemaCacheSwap: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: sources.close,
  }
}
