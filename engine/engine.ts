import { Pool } from 'pg'
import type { Log } from '../lib/telemetry/log.ts'
import type { Config } from './config.ts'
import { type Read, sharedReads } from './database/shared-reads.ts'
import { emptyMetadata, type Metadata } from './metadata/metadata.ts'
import { readMetadata } from './metadata/read.ts'
import { buildModel } from './model/build.ts'
import type { Inconsistency } from './model/inconsistency.ts'
import { readCatalog } from './postgres/catalog.ts'
import { invalidQueries } from './schema/saved-queries.ts'
import { buildSchemaCache, type SchemaCache } from './schema-cache.ts'
import { installCheck } from './sql/check.ts'

/** The running engine: one pool, and one immutable snapshot that every reload replaces as a whole. */
export type Engine = {
  pool: Pool
  /** Runs a statement that reads; see `sharedReads`. */
  read: Read
  config: Config
  log: Log
  /** The current snapshot. A request takes it once, and keeps it to its end. */
  schemaCache(): SchemaCache
  /** Reads the catalogue again and resolves the same metadata against it. */
  reload(): Promise<readonly Inconsistency[]>
  /** Replaces the metadata; unless `allowInconsistent`, the old stays in place if anything is inconsistent. */
  replaceMetadata(
    metadata: Metadata,
    options: { allowInconsistent: boolean },
  ): Promise<readonly Inconsistency[]>
  /** Reads the metadata folder again (if there is one), and the catalogue. */
  reloadFolder(): Promise<readonly Inconsistency[]>
  /**
   * Calls `listener` after every swap; the swap ends when the listener's promise does.
   *
   * @returns a function that removes the listener
   */
  onSchemaCacheSwap(listener: SwapListener): () => void
  close(): Promise<void>
}

type SwapListener = (snapshot: SchemaCache) => unknown

/**
 * Connects and resolves the metadata against the catalogue; inconsistent metadata is reported, not fatal.
 *
 * @throws when the database cannot be reached
 */
export async function startEngine(
  config: Config,
  log: Log,
  metadata: Metadata = emptyMetadata(),
): Promise<Engine> {
  const pool = connectPool(config, log)
  await installCheck(pool)
  const listeners = new Set<SwapListener>()
  let current = buildSchemaCache(await resolve(metadata))

  async function resolve(metadata: Metadata) {
    const built = buildModel(await readCatalog(pool, metadata), metadata, config)
    const model = {
      ...built,
      inconsistencies: [...built.inconsistencies, ...invalidQueries(built)],
    }
    for (const { type, name, reason } of model.inconsistencies)
      log.warn({ type, name, reason }, 'inconsistent metadata')
    return model
  }
  // One swap at a time, so that the last one that was asked for is the one that stays.
  let turn: Promise<unknown> = Promise.resolve()
  function swap(next: () => Metadata | Promise<Metadata>, allowInconsistent = true) {
    const mine = turn.then(async () => {
      const model = await resolve(await next())
      if (model.inconsistencies.length > 0 && !allowInconsistent) return model.inconsistencies
      current = buildSchemaCache(model)
      await Promise.all([...listeners].map((listener) => listener(current)))
      return model.inconsistencies
    })
    turn = mine.catch(() => {})
    return mine
  }

  return {
    pool,
    read: sharedReads(pool),
    config,
    log,
    schemaCache: () => current,
    reload: () => swap(() => current.metadata),
    reloadFolder: () =>
      swap(() => (config.metadataDir ? readMetadataFolder(config) : current.metadata)),
    replaceMetadata: (metadata, { allowInconsistent }) => swap(() => metadata, allowInconsistent),
    onSchemaCacheSwap: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => pool.end(),
  }
}

async function readMetadataFolder({ metadataDir }: Config): Promise<Metadata> {
  return metadataDir === null ? emptyMetadata() : readMetadata(metadataDir)
}

function connectPool(config: Config, log: Log): Pool {
  const pool = new Pool({
    connectionString: config.databaseUrl,
    max: config.connections,
    statement_timeout: config.statementTimeoutMs,
    connectionTimeoutMillis: config.connectTimeoutMs,
    application_name: 'engine',
    // Replacing connections now and then frees their prepared statements, and closes those that a burst has
    // opened. It costs one timer per connection, where an idle time-out costs one per use.
    maxLifetimeSeconds: 600,
    idleTimeoutMillis: 0,
  })
  // Also for connections in use: there, the failing statement tells whoever waits for it.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ err: error }, 'a database connection was lost'))
  })
  pool.on('error', () => {})
  return pool
}
