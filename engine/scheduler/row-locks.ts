import { Client } from 'pg'
import type { Config } from '../config.ts'

/** A row of any queue; all engines on the database know it by its `id`. */
export type QueueRow = { id: string } & Readonly<Record<string, unknown>>

/** The statement that records what has become of a row. */
export type RowOutcome = { text: string; values: readonly unknown[] }

/**
 * The database session that holds an engine's claims: an advisory lock for each row that it works on. However
 * the process ends, Postgres then ends the session and its locks, and other engines take over.
 */
export type RowLocks = {
  /** Ids of the rows that this engine works on. */
  claimed: ReadonlySet<string>
  /**
   * Runs a statement that claims rows. `$1` has the ids that it must skip; it locks each row that it returns with
   * `pg_try_advisory_lock(hashtextextended(id, 0))`.
   */
  claim(statement: string, values: readonly unknown[]): Promise<QueueRow[]>
  /** Records what has become of a row, then releases its lock; without a settlement it is tried again later. */
  release(id: string, settlement: RowOutcome | null): Promise<void>
  close(): Promise<void>
}

/** Opens the session when it is first needed, and again when it was lost. */
export function createRowLocks({ databaseUrl }: Config): RowLocks {
  const claimed = new Set<string>()
  let client: Promise<Client> | null = null

  function session(): Promise<Client> {
    client ??= connectLockClient(databaseUrl, () => {
      client = null
    })
    return client
  }

  return {
    claimed,
    async claim(statement, values) {
      const { rows } = await (await session()).query<QueueRow>(statement, [[...claimed], ...values])
      for (const { id } of rows) claimed.add(id)
      return rows
    },
    async release(id, settlement) {
      try {
        const connected = await session()
        if (settlement) await connected.query(settlement.text, [...settlement.values])
        await connected.query('select pg_advisory_unlock(hashtextextended($1, 0))', [id])
      } finally {
        claimed.delete(id)
      }
    },
    async close() {
      const connected = await client?.catch(() => null)
      await connected?.end()
    },
  }
}

async function connectLockClient(databaseUrl: string, lost: () => void): Promise<Client> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'engine scheduler',
    // Several queues share the session: their statements are sent without waiting for each other.
    pipeline: true,
  })
  client.on('error', lost)
  client.on('end', lost)
  try {
    await client.connect()
  } catch (cause) {
    lost()
    throw cause
  }
  return client
}
