import type { Pool, PoolClient } from 'pg'
import { EngineError } from './errors.ts'
import type { Bindings } from './plan/ir.ts'
import { type Doing, translate } from './postgres-errors.ts'

/** A statement, prepared once per connection if it has a name. */
export type Prepared = {
  name: string | null
  text: string
  parameters: readonly { read(bindings: Bindings): string | null }[]
  /** Where in the request a fault of this statement is reported. */
  path: string
}

/** Runs a statement that reads; answers the columns of its one row, JSON text as the database wrote it. */
export async function query(
  pool: Pool,
  statement: Prepared,
  bindings: Bindings,
  signal: AbortSignal | null,
): Promise<readonly string[]> {
  const values = statement.parameters.map(({ read }) => read(bindings))
  const client = await connected(pool)
  const stop = cancelOnAbort(pool, client, signal)
  try {
    return await one(client, statement, values)
  } finally {
    stop()
    client.release()
  }
}

/**
 * Runs the statements of a mutation in one transaction, all sent at once: a failing one fails the rest
 * and turns the commit into a rollback.
 *
 * @returns the columns of each statement's row
 */
export async function transact(
  pool: Pool,
  statements: readonly Prepared[],
  bindings: Bindings,
  signal: AbortSignal | null,
): Promise<readonly (readonly string[])[]> {
  const all = [BEGIN, SESSION, ...statements, COMMIT].map((statement) => ({
    statement,
    values: statement.parameters.map(({ read }) => read(bindings)),
  }))
  const client = await connected(pool)
  const stop = cancelOnAbort(pool, client, signal)
  try {
    const outcomes = await Promise.allSettled(
      inOneWrite(client, () => all.map(({ statement, values }) => one(client, statement, values))),
    )
    const rows = outcomes.map((outcome) => {
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    })
    return rows.slice(2, -1)
  } finally {
    stop()
    client.release()
  }
}

const BEGIN: Prepared = { name: 'begin', text: 'begin', parameters: [], path: '$' }
const COMMIT: Prepared = { name: 'commit', text: 'commit', parameters: [], path: '$' }

/** Triggers and functions find the caller in `current_setting('hasura.user')`. */
const SESSION: Prepared = {
  name: 'session',
  text: `select set_config('hasura.user', $1, true)`,
  parameters: [{ read: ({ session }) => JSON.stringify(Object.fromEntries(session.variables)) }],
  path: '$',
}

/** Everything that is sent meanwhile leaves in one packet. */
function inOneWrite<T>({ connection: { stream } }: PoolClient, send: () => T): T {
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

async function connected(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (thrown) {
    throw noConnection(thrown)
  }
}

function noConnection(cause: unknown): EngineError {
  return new EngineError('postgres-error', 'connection error', { cause })
}

async function one(
  client: PoolClient,
  { name, text, path }: Prepared,
  values: readonly (string | null)[],
): Promise<readonly string[]> {
  const doing: Doing = { path, text, values }
  try {
    const { rows } = await client.query<string[]>({
      ...(name !== null && { name }),
      text,
      values: [...values],
      rowMode: 'array',
    })
    return rows[0] ?? []
  } catch (thrown) {
    throw translate(thrown, doing)
  }
}

/** When the caller goes away, so does its statement. */
function cancelOnAbort(pool: Pool, client: PoolClient, signal: AbortSignal | null): () => void {
  if (!signal) return () => {}
  const cancel = () => {
    const processID = 'processID' in client ? client.processID : null
    // Best effort: the statement may have ended by itself.
    pool.query('select pg_cancel_backend($1)', [processID]).catch(() => {})
  }
  signal.addEventListener('abort', cancel, { once: true })
  return () => signal.removeEventListener('abort', cancel)
}
