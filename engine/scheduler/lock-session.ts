import { Client } from 'pg'
import type { Config } from '../config.ts'

/** A row of a queue, whichever it is: `id` names it for all engines on the database. */
export type Row = { id: string } & Readonly<Record<string, unknown>>

/** The statement that says what became of a row. */
export type Settlement = { text: string; values: readonly unknown[] }

/**
 * The database session that holds an engine's claims: an advisory lock for each row it works on. When the
 * process dies, however it dies, Postgres ends the session and the locks with it, and others take over.
 */
export type LockSession = {
  /** Ids of the rows that this engine works on. */
  claimed: ReadonlySet<string>
  /**
   * Runs a statement that claims rows: `$1` are the ids it must leave alone, and each row it answers it has
   * locked with `pg_try_advisory_lock(hashtextextended(id, 0))`.
   */
  claim(statement: string, values: readonly unknown[]): Promise<Row[]>
  /** Says what became of a row, then gives up its lock; without a settlement it is left for another round. */
  settle(id: string, settlement: Settlement | null): Promise<void>
  close(): Promise<void>
}

/** Opens the session when it is first needed, and again when it was lost. */
export function lockSession({ databaseUrl }: Config): LockSession {
  const claimed = new Set<string>()
  let client: Promise<Client> | null = null

  function session(): Promise<Client> {
    client ??= connect(databaseUrl, () => {
      client = null
    })
    return client
  }

  return {
    claimed,
    async claim(statement, values) {
      const { rows } = await (await session()).query<Row>(statement, [[...claimed], ...values])
      for (const { id } of rows) claimed.add(id)
      return rows
    },
    async settle(id, settlement) {
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

async function connect(databaseUrl: string, lost: () => void): Promise<Client> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'engine scheduler',
    // Several queues share the session, and their statements need not wait for each other to be sent.
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
