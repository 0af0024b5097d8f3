import type { Pool } from 'pg'
import type { Log } from '../../../lib/runtime/log/log.ts'
import type { Inconsistency } from '../compiler/model/inconsistency.ts'
import { readMetadataDefaults, withMetadataDefaults } from '../compiler/model/metadata-defaults.ts'
import type { IntrospectedSchemas } from '../compiler/model/remote/remote-schemas.ts'
import { checkedModel } from '../compiler/schema/checked-model.ts'
import type { Config } from '../config/config.ts'
import { readMetadata } from '../metadata/folder/read-metadata-folder.ts'
import { emptyMetadata, type Metadata } from '../metadata/metadata.ts'
import { type Admission, createAdmission } from './callers/admission.ts'
import type { SourceConnections } from './database/source-connections.ts'
import { openSources } from './database/sources.ts'
import { createIntrospections } from './remote/introspections.ts'
import { buildSchemaCache, catalogsOf, type SchemaCache } from './schema-cache.ts'

/** The running engine: its connections, and one immutable schema cache that every reload replaces. */
export type Engine = {
  /** The connections to the database of the metadata, and of the queues of actions and of scheduled events. */
  metadataDatabase: SourceConnections
  /**
   * The engine's own connections to the database of a source, which often is the same.
   *
   * @throws not-exists if there is no source of that name, unexpected if it is inconsistent
   */
  sourcePool(source: string): Pool
  /** Whose requests run, and whose wait. */
  admission: Admission
  config: Config
  log: Log
  /** The current schema cache. A request takes it once and uses it to its end. */
  schemaCache(): SchemaCache
  /** What the servers of the remote schemas have said about themselves. */
  introspected(): IntrospectedSchemas
  /**
   * Reads the catalogues of all databases again and resolves the same metadata against them. The servers of remote schemas with these
   * names, or all of them, are asked again.
   */
  reload(remoteSchemas?: readonly string[] | 'all'): Promise<readonly Inconsistency[]>
  /** Replaces the metadata, unless `accept` rejects: then the old metadata stays, as if nothing had been tried. */
  replaceMetadata(metadata: Metadata, accept?: Accept): Promise<readonly Inconsistency[]>
  /** Reads the metadata folder again (if one is configured), and the catalogues of all databases. */
  reloadFolder(): Promise<readonly Inconsistency[]>
  /**
   * Calls `listener` whenever the schema cache was replaced; the call that replaced it waits for the listener's
   * promise.
   *
   * @returns a function that removes the listener
   */
  onSchemaCacheSwap(listener: SwapListener): () => void
  close(): Promise<void>
}

/** Decides about metadata by what is inconsistent with it. */
export type Accept = (inconsistencies: readonly Inconsistency[]) => Promise<void>

type SwapListener = (cache: SchemaCache) => unknown

/**
 * Connects to the databases and resolves the metadata against their catalogues. Inconsistent metadata is logged, and left
 * out of the schema.
 *
 * @throws when the database of the metadata cannot be reached
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

  async function resolveCache(given: Metadata): Promise<SchemaCache> {
    const next = withMetadataDefaults(given, defaults)
    const [opened, introspected] = await Promise.all([
      sources.open(next),
      introspections.read(next),
    ])
    const model = checkedModel({
      catalogs: catalogsOf(opened),
      metadata: next,
      introspected,
      settings: config,
    })
    for (const { type, name, reason } of model.inconsistencies)
      log.warn({ type, name, reason }, 'inconsistent metadata')
    return buildSchemaCache(model, opened)
  }

  // One replacement at a time, so that the latest request determines the schema cache.
  let previous: Promise<unknown> = Promise.resolve()
  function replaceCache(next: () => Metadata | Promise<Metadata>, accept?: Accept) {
    const replacement = previous.then(async () => {
      try {
        const cache = await resolveCache(await next())
        await accept?.(cache.inconsistencies)
        current = cache
      } finally {
        // Also where it is refused: what was connected for it is closed.
        sources.keep(current.sources)
      }
      await Promise.all([...listeners].map((listener) => listener(current)))
      return current.inconsistencies
    })
    previous = replacement.catch(() => {})
    return replacement
  }

  return {
    metadataDatabase: sources.home,
    sourcePool: (source) => current.source(source).connections.pool,
    admission: createAdmission(config, sources.home.callersPart),
    config,
    log,
    schemaCache: () => current,
    introspected: introspections.known,
    reload: (remoteSchemas = []) =>
      replaceCache(() => {
        introspections.forget(remoteSchemas)
        return current.metadata
      }),
    reloadFolder: () =>
      replaceCache(async () =>
        config.metadataDir === null
          ? current.metadata
          : (await readMetadata(config.metadataDir)).metadata,
      ),
    replaceMetadata: (metadata, accept) => replaceCache(() => metadata, accept),
    onSchemaCacheSwap: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: sources.close,
  }
}
