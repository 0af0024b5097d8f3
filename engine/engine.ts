import { Pool } from 'pg'
import type { Log } from '../lib/telemetry/log.ts'
import { type Admission, createAdmission } from './callers/admission.ts'
import type { Config } from './config.ts'
import { boundAnswers } from './database/answer-bound.ts'
import { type Read, sharedReads } from './database/shared-reads.ts'
import { emptyMetadata, type Metadata } from './metadata/metadata.ts'
import { readMetadata } from './metadata/read-metadata-folder.ts'
import { buildModel } from './model/build-model.ts'
import type { Inconsistency } from './model/inconsistency.ts'
import { readCatalog } from './postgres/catalog.ts'
import { invalidQueries } from './schema/saved-queries.ts'
import { buildSchemaCache, type SchemaCache } from './schema-cache.ts'
import type { Session } from './session/session.ts'
import { installFailMutation } from './sql/fail-mutation.ts'

/** Connections to the database; `read` runs a statement that reads, see `sharedReads`. */
export type Connections = { pool: Pool; read: Read }

/** The running engine: its connections, and one immutable schema cache that every reload replaces. */
export type Engine = {
  /** The connections of the engine itself, and of requests with the admin secret. */
  pool: Pool
  /** The connections for a request: callers without the admin secret have their own, so that others keep theirs. */
  connections(session: Pick<Session, 'restsOn'>): Connections
  /** Whose requests run, and whose wait. */
  admission: Admission
  config: Config
  log: Log
  /** The current schema cache. A request takes it once and uses it to its end. */
  schemaCache(): SchemaCache
  /** Reads the database's catalogue again and resolves the same metadata against it. */
  reload(): Promise<readonly Inconsistency[]>
  /** Replaces the metadata. Without `allowInconsistent`, the old metadata stays if anything is inconsistent. */
  replaceMetadata(
    metadata: Metadata,
    options: { allowInconsistent: boolean },
  ): Promise<readonly Inconsistency[]>
  /** Reads the metadata folder again (if one is configured), and the database's catalogue. */
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

type SwapListener = (cache: SchemaCache) => unknown

/**
 * Connects to the database and resolves the metadata against its catalogue. Inconsistent metadata is logged, and
 * left out of the schema.
 *
 * @throws when the database cannot be reached
 */
export async function openEngine(
  config: Config,
  log: Log,
  metadata: Metadata = emptyMetadata(),
): Promise<Engine> {
  const pooled = { ...config, connections: maxConnections(config, metadata) }
  const trusted = connect(trustedConnections(pooled), log)
  const callers = connect(callerConnections(pooled), log)
  boundAnswers(callers.pool, config.callerMaxAnswerBytes)
  const { pool } = trusted
  await installFailMutation(pool)
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
  // One replacement at a time, so that the latest request determines the schema cache.
  let previous: Promise<unknown> = Promise.resolve()
  function replaceCache(next: () => Metadata | Promise<Metadata>, allowInconsistent = true) {
    const replacement = previous.then(async () => {
      const model = await resolve(await next())
      if (model.inconsistencies.length > 0 && !allowInconsistent) return model.inconsistencies
      current = buildSchemaCache(model)
      await Promise.all([...listeners].map((listener) => listener(current)))
      return model.inconsistencies
    })
    previous = replacement.catch(() => {})
    return replacement
  }

  return {
    pool,
    connections: ({ restsOn }) => (restsOn === 'secret' ? trusted : callers),
    admission: createAdmission(config, callersPart(pooled)),
    config,
    log,
    schemaCache: () => current,
    reload: () => replaceCache(() => current.metadata),
    reloadFolder: () =>
      replaceCache(() =>
        config.metadataDir === null ? current.metadata : readMetadata(config.metadataDir),
      ),
    replaceMetadata: (metadata, { allowInconsistent }) =>
      replaceCache(() => metadata, allowInconsistent),
    onSchemaCacheSwap: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: async () => {
      await Promise.all([trusted.pool.end(), callers.pool.end()])
    },
  }
}

type ConnectionSettings = Pick<
  Config,
  'databaseUrl' | 'connections' | 'statementTimeoutMs' | 'connectTimeoutMs'
>

/**
 * How many connections a source has: as its metadata says, when the engine starts. As in Hasura, the variable is for a
 * database without metadata.
 */
function maxConnections({ connections }: Config, { sources: [source] }: Metadata): number {
  if (!source?.configuration) return connections
  const { connection_info: info } = source.configuration
  return info?.pool_settings?.max_connections ?? DEFAULT_CONNECTIONS
}

const DEFAULT_CONNECTIONS = 50

function trustedConnections(config: Config): ConnectionSettings {
  return { ...config, connections: Math.max(1, config.connections - callersPart(config)) }
}

/** How many of the connections callers have: at most half of them. */
function callersPart({ connections, callerConnections }: Config): number {
  return Math.min(callerConnections, Math.ceil(connections / 2))
}

/** Callers get a part of the connections, and only short statements. */
function callerConnections(config: Config): ConnectionSettings {
  return {
    ...config,
    connections: callersPart(config),
    statementTimeoutMs: Math.min(config.statementTimeoutMs, config.callerStatementTimeoutMs),
  }
}

function connect(settings: ConnectionSettings, log: Log): Connections {
  const pool = connectPool(settings, log)
  return { pool, read: sharedReads(pool) }
}

function connectPool(settings: ConnectionSettings, log: Log): Pool {
  const pool = new Pool({
    connectionString: settings.databaseUrl,
    max: settings.connections,
    statement_timeout: settings.statementTimeoutMs,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    application_name: 'engine',
    // Replacing each connection after ten minutes frees its prepared statements and closes connections that only a
    // burst needed. It costs one timer for each connection; an idle timeout would cost one for each query.
    maxLifetimeSeconds: 600,
    idleTimeoutMillis: 0,
  })
  // Also for connections in use, whose error would otherwise end the process; the caller gets it from its statement.
  pool.on('connect', (client) => {
    client.on('error', (error) => log.warn({ err: error }, 'a database connection was lost'))
  })
  pool.on('error', () => {})
  return pool
}
