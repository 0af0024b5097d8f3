import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import type { Config } from '../config/config.ts'
import { KEEP_ALIVE } from '../runtime/database/source-connections.ts'

/** A row of a queue. The key of its lock is derived from `id`, which is the same in all engines of the database. */
export type QueueRow = { id: string } & Readonly<Record<string, unknown>>

/** The statement that records the outcome of a row: done, to be retried, or failed. */
export type RowOutcome = {
  text: string
  values: readonly unknown[]
  /** The outcome to record if the database rejects these values. */
  fallback?: RowOutcome
}

/**
 * The advisory locks of the rows that this engine processes, in a separate database session. When the process ends, PostgreSQL ends
 * the session and releases its locks, and other engines take over the rows.
 */
export type RowLocks = {
  /** The ids of the rows that this engine processes. */
  leasedIds: ReadonlySet<string>
  /**
   * Runs a statement that leases rows. It must skip the ids in `$1`, and lock each returned row with
   * `pg_try_advisory_lock(hashtextextended(id, 0))`.
   */
  lease(statement: string, values: readonly unknown[]): Promise<QueueRow[]>
  /**
   * Records the outcome of a row, then releases its lock. Without an outcome the row is tried again later. Retries the recording for a
   * while, because an unrecorded row would be delivered again.
   */
  release(id: string, outcome: RowOutcome | null): Promise<void>
  close(): Promise<void>
}

type LockLimits = Pick<Config, 'connectTimeoutMs' | 'statementTimeoutMs'>

/** The locks in each database with queues. */
export type RowLocksByDatabase = {
  of(databaseUrl: string): RowLocks
  /** Ends the sessions in all databases except these. Engines that serve the other databases take over the rows. */
  closeUnused(databaseUrls: readonly string[]): Promise<void>
}

/** Creates the locks of each database on first use. */
export function createRowLocksByDatabase(config: LockLimits): RowLocksByDatabase {
  const locksByUrl = new Map<string, RowLocks>()
  return {
    of(databaseUrl) {
      const existingLocks = locksByUrl.get(databaseUrl)
      if (existingLocks) return existingLocks
      const locks = createRowLocks(databaseUrl, config)
      locksByUrl.set(databaseUrl, locks)
      return locks
    },
    async closeUnused(databaseUrls) {
      const unusedLocks = [...locksByUrl].filter(([url]) => !databaseUrls.includes(url))
      for (const [url] of unusedLocks) locksByUrl.delete(url)
      await Promise.all(unusedLocks.map(([, locks]) => locks.close()))
    },
  }
}

/** Creates the locks of one database. Connects for the first lease, and again after each lost connection. */
function createRowLocks(databaseUrl: string, config: LockLimits): RowLocks {
  const leasedIds = new Set<string>()
  let client: Promise<Client> | null = null

  function session(): Promise<Client> {
    if (client) return client
    // A lost client may call this twice, the second time after a new client already has locks.
    const newClient = connectLockClient(databaseUrl, config, () => {
      if (client === newClient) client = null
    })
    client = newClient
    return newClient
  }

  async function record(outcome: RowOutcome) {
    const deadline = performance.now() + RECORD_FOR_MS
    for (let pendingOutcome = outcome; ; ) {
      try {
        return await (await session()).query(pendingOutcome.text, [...pendingOutcome.values])
      } catch (cause) {
        if (pendingOutcome.fallback && isRefusedValue(cause))
          pendingOutcome = pendingOutcome.fallback
        else if (performance.now() > deadline) throw cause
        else await sleep(RECORD_AGAIN_MS)
      }
    }
  }

  return {
    leasedIds,
    async lease(statement, values) {
      const { rows } = await (await session()).query<QueueRow>(statement, [
        [...leasedIds],
        ...values,
      ])
      for (const { id } of rows) leasedIds.add(id)
      return rows
    },
    async release(id, outcome) {
      try {
        if (outcome) await record(outcome)
      } finally {
        // A lost session has already released the lock.
        const lockClient = await client?.catch(() => null)
        await lockClient?.query(UNLOCK, [id]).catch(() => {})
        leasedIds.delete(id)
      }
    },
    async close() {
      const lockClient = await client?.catch(() => null)
      await lockClient?.end()
    },
  }
}

const UNLOCK = 'select pg_advisory_unlock(hashtextextended($1, 0))'

/** The time for which the recording of an outcome is retried. It is longer than a standby needs to take over. */
const RECORD_FOR_MS = 60_000
const RECORD_AGAIN_MS = 500

/** True if a value is wrong for its type (SQLSTATE class 22), or too large (54). */
function isRefusedValue(cause: unknown): boolean {
  return cause instanceof DatabaseError && /^(22|54)/.test(cause.code ?? '')
}

/** The highest time limit of a statement on a queue. */
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
    // In a pipeline, a timeout ends the connection. Its other end may have vanished silently.
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
