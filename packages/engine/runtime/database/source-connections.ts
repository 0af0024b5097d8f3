import { Pool } from 'pg'
import type { Log } from '../../../../lib/runtime/log/log.ts'
import type { SourceAddress } from '../../compiler/model/source-address.ts'
import type { Config } from '../../config/config.ts'
import type { Session } from '../../session/session.ts'
import { boundAnswers } from './answer-bound.ts'
import { createSharedReads, type Read } from './shared-reads.ts'

/** Connections to the database at `url`; `read` runs a statement that reads, see `createSharedReads`. */
export type Connections = { url: string; pool: Pool; read: Read }

/** The connections of a session to the source of that name. */
export type ConnectionsTo = (source: string) => Connections

/** The connections to the database of a source. */
export type SourceConnections = {
  /** Its address, with a password. */
  url: string
  /** How many connections there are at most, and how many of them callers have. */
  size: number
  callersPart: number
  /** The connections of the engine itself, and of requests with the admin secret. */
  pool: Pool
  /** The connections for a request: callers without the admin secret have their own, so that others keep theirs. */
  of(session: Pick<Session, 'restsOn'>): Connections
  close(): Promise<void>
}

/** Makes the pools, which connect when they are used. */
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
    of: ({ restsOn }) => (restsOn === 'secret' ? trusted : callers),
    close: async () => {
      await Promise.all([...new Set([trusted, callers])].map(({ pool }) => pool.end()))
    },
  }
}

/** Whether a bound of callers holds for a connection, so that callers need connections of their own. */
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

/** Finds out about an idle connection whose other end has vanished without a word. */
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
