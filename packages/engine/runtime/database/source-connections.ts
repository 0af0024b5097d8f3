import { Pool } from 'pg'
import type { Log } from '../../../../lib/runtime/log/log.ts'
import type { SourceAddress } from '../../compiler/model/source-address.ts'
import type { Config } from '../../config/config.ts'
import type { Session } from '../../session/session.ts'
import { boundAnswers } from './answer-bound.ts'
import { createSharedReads, type ReadColumns } from './shared-reads.ts'

/** Connections to the database at `url`. `read` runs a statement that reads (see `createSharedReads`). */
export type Connections = { url: string; pool: Pool; read: ReadColumns }

/** Returns a session's connections to a source. */
export type ConnectionsTo = (source: string) => Connections

/** The connections to the database of a source. */
export type SourceConnections = {
  /** The address, including the password. */
  url: string
  /** The maximum number of connections, and the number that callers without the admin secret can use. */
  size: number
  callersPart: number
  /** The connections for the engine and for requests with the admin secret. */
  pool: Pool
  /**
   * Returns the connections for a request. If the settings limit callers, callers without the admin secret get separate
   * connections, so that they cannot use up all connections.
   */
  of(session: Pick<Session, 'basis'>): Connections
  close(): Promise<void>
}

/** Creates the pools, which connect on first use. */
export function connectSource(
  { url, size }: SourceAddress,
  config: Config,
  log: Log,
): SourceConnections {
  const callersPart = hasBoundCallers(config)
    ? Math.min(config.callerConnections, Math.ceil(size / 2))
    : null
  const settings = { ...config, url, size, log }
  const trusted = connect({ ...settings, size: Math.max(1, size - (callersPart ?? 0)) })
  const callers = callersPart === null ? trusted : connectCallers(settings, callersPart)
  return {
    url,
    size,
    callersPart: callersPart ?? size,
    pool: trusted.pool,
    of: ({ basis }) => (basis === 'secret' ? trusted : callers),
    close: async () => {
      await Promise.all([...new Set([trusted, callers])].map(({ pool }) => pool.end()))
    },
  }
}

/** True if callers have a limit that applies to connections, and so need separate connections. */
function hasBoundCallers(config: Config): boolean {
  const { callerConnections, callerStatementTimeoutMs, callerMaxAnswerBytes } = config
  return [callerConnections, callerStatementTimeoutMs, callerMaxAnswerBytes].some(Number.isFinite)
}

function connectCallers(settings: Config & PoolSettings, size: number): Connections {
  const { callerStatementTimeoutMs, callerMaxAnswerBytes } = settings
  const statementTimeoutMs = Math.min(settings.statementTimeoutMs, callerStatementTimeoutMs)
  const callers = connect({ ...settings, size, statementTimeoutMs })
  if (Number.isFinite(callerMaxAnswerBytes)) boundAnswers(callers.pool, callerMaxAnswerBytes)
  return callers
}

type PoolSettings = Pick<Config, 'statementTimeoutMs' | 'connectTimeoutMs'> &
  Pick<SourceAddress, 'url' | 'size'> & { log: Log }

function connect(settings: PoolSettings): Connections {
  const pool = connectPool(settings)
  return { url: settings.url, pool, read: createSharedReads(pool) }
}

/** Detects idle connections after the other end has vanished silently. */
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }

function connectPool({ url, size, log, ...settings }: PoolSettings): Pool {
  const { statementTimeoutMs } = settings
  const pool = new Pool({
    connectionString: url,
    max: size,
    statement_timeout: Number.isFinite(statementTimeoutMs) ? statementTimeoutMs : false,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    application_name: 'engine',
    ...KEEP_ALIVE,
    // Replacing each connection after ten minutes frees its prepared statements, and closes connections that only a burst
    // needed. This costs one timer for each connection. An idle timeout would cost one timer for each query.
    maxLifetimeSeconds: 600,
    idleTimeoutMillis: 0,
  })
  // Without this listener, an error of a connection in use would end the process. The caller gets the error from its statement.
  pool.on('connect', (client) => {
    client.on('error', (error) =>
      log.warn({ log_type: 'pg-client', err: error }, 'a database connection was lost'),
    )
  })
  pool.on('error', () => {})
  return pool
}
