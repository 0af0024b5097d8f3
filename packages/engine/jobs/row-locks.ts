import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import type { Config } from '../config/config.ts'
import { KEEP_ALIVE } from '../runtime/database/source-connections.ts'

/** A row of a queue; `id` is the same for all engines on the database. */
export type QueueRow = { id: string } & Readonly<Record<string, unknown>>

/** The statement that records what has become of a row: done, to be tried again, or given up. */
export type RowOutcome = {
  text: string
  values: readonly unknown[]
  /** What is recorded instead if the database does not take these values. */
  otherwise?: RowOutcome
}

/**
 * The advisory locks of the rows that this engine works on, in a database session of their own. However the process
 * ends, PostgreSQL then ends the session and releases its locks, and other engines take over the rows.
 */
export type RowLocks = {
  /** Ids of the rows that this engine works on. */
  leased: ReadonlySet<string>
  /**
   * Runs a statement that leases rows. `$1` has the ids that it must skip; it must lock each row that it returns with
   * `pg_try_advisory_lock(hashtextextended(id, 0))`.
   */
  lease(statement: string, values: readonly unknown[]): Promise<QueueRow[]>
  /**
   * Records the outcome of a row, then releases its lock; without an outcome the row is tried again later. It tries for a
   * while to record it, since whoever got the row would get it again.
   */
  release(id: string, outcome: RowOutcome | null): Promise<void>
  close(): Promise<void>
}

type LockLimits = Pick<Config, 'connectTimeoutMs' | 'statementTimeoutMs'>

/** The locks in each database that has queues. */
export type RowLocksByDatabase = {
  of(databaseUrl: string): RowLocks
  /** Ends the sessions in other databases: their rows are left to the engines that serve those. */
  keep(databaseUrls: readonly string[]): Promise<void>
}

/** Makes the locks of a database when they are first asked for. */
export function createRowLocksByDatabase(config: LockLimits): RowLocksByDatabase {
  const all = new Map<string, RowLocks>()
  return {
    of(databaseUrl) {
      const known = all.get(databaseUrl)
      if (known) return known
      const made = createRowLocks(databaseUrl, config)
      all.set(databaseUrl, made)
      return made
    },
    async keep(databaseUrls) {
      const others = [...all].filter(([url]) => !databaseUrls.includes(url))
      for (const [url] of others) all.delete(url)
      await Promise.all(others.map(([, locks]) => locks.close()))
    },
  }
}

/** Connects when the first row is leased, and again whenever the connection was lost. */
function createRowLocks(databaseUrl: string, config: LockLimits): RowLocks {
  const leased = new Set<string>()
  let client: Promise<Client> | null = null

  function session(): Promise<Client> {
    if (client) return client
    // A client may tell twice that it is lost, the second time when there is a new one, which has locks.
    const made = connectLockClient(databaseUrl, config, () => {
      if (client === made) client = null
    })
    client = made
    return made
  }

  async function record(outcome: RowOutcome) {
    const until = performance.now() + RECORD_FOR_MS
    for (let next = outcome; ; ) {
      try {
        return await (await session()).query(next.text, [...next.values])
      } catch (cause) {
        if (next.otherwise && isRefusedValue(cause)) next = next.otherwise
        else if (performance.now() > until) throw cause
        else await sleep(RECORD_AGAIN_MS)
      }
    }
  }

  return {
    leased,
    async lease(statement, values) {
      const { rows } = await (await session()).query<QueueRow>(statement, [[...leased], ...values])
      for (const { id } of rows) leased.add(id)
      return rows
    },
    async release(id, outcome) {
      try {
        if (outcome) await record(outcome)
      } finally {
        // A session that was lost has released it.
        const connected = await client?.catch(() => null)
        await connected?.query(UNLOCK, [id]).catch(() => {})
        leased.delete(id)
      }
    },
    async close() {
      const connected = await client?.catch(() => null)
      await connected?.end()
    },
  }
}

const UNLOCK = 'select pg_advisory_unlock(hashtextextended($1, 0))'

/** For how long an outcome is kept that cannot be recorded: a standby takes over in less. */
const RECORD_FOR_MS = 60_000
const RECORD_AGAIN_MS = 500

/** Whether a value is wrong for its type (SQLSTATE class 22), or too large for it (54). */
function isRefusedValue(cause: unknown): boolean {
  return cause instanceof DatabaseError && /^(22|54)/.test(cause.code ?? '')
}

/** How long a statement on a queue may take where no other limit is set. */
const LONGEST_LEASE_MS = 60_000

async function connectLockClient(
  databaseUrl: string,
  { connectTimeoutMs, statementTimeoutMs }: LockLimits,
  onLost: () => void,
): Promise<Client> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'engine scheduler',
    // Several queues share the connection, so their statements are sent without waiting for each other.
    pipeline: true,
    ...KEEP_ALIVE,
    connectionTimeoutMillis: connectTimeoutMs,
    // In a pipeline, the client ends the connection then, whose other end may have vanished without a word.
    query_timeout: Math.min(statementTimeoutMs, LONGEST_LEASE_MS),
  })
  client.on('error', onLost)
  client.on('end', onLost)
  try {
    await client.connect()
  } catch (cause) {
    onLost()
    throw cause
  }
  return client
}
