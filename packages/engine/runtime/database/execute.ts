import { tracingChannel } from 'node:diagnostics_channel'
import type { Pool, PoolClient, QueryResultRow } from 'pg'
import { listen } from '../../../../lib/runtime/limits/abort-signals.ts'
import type { Bindings } from '../../compiler/ir/ir.ts'
import { EngineError } from '../../errors.ts'
import type { Client } from '../../session/client.ts'
import { requestCancel } from './cancel-request.ts'
import { isReadOnly, translateCommitError, translatePostgresError } from './postgres-errors.ts'
import { type BoundStatement, type Columns, roundTrip } from './round-trip.ts'

/** A statement, prepared once per connection if it has a name. */
export type PreparedStatement = {
  name: string | null
  text: string
  parameters: readonly { read(bindings: Bindings): string | null }[]
  /** The part of the request that an error of this statement names. */
  path: string
  /**
   * The same for the error that it has changed no row although a later statement needs one; by default `path`.
   */
  zeroRowsPath?: string | undefined
}

/**
 * Runs statements in one transaction and one round trip.
 *
 * @returns the columns of each statement's one row, JSON text as the database wrote it
 */
export function runStatements(
  pool: Pool,
  statements: readonly PreparedStatement[],
  bindings: Bindings,
  client: Client,
): Promise<readonly Columns[]> {
  return traceRoundTrip(() =>
    sendStatements(
      pool,
      statements.map((statement) => fillStatement(statement, bindings)),
      client.signal,
    ),
  )
}

/** A statement with the values of its parameters, and the part of the request that its errors name. */
export type FilledStatement = BoundStatement & Pick<PreparedStatement, 'path' | 'zeroRowsPath'>

/** Reads a statement's parameters. */
export function fillStatement(statement: PreparedStatement, bindings: Bindings): FilledStatement {
  const { name, text, parameters, path, zeroRowsPath } = statement
  return { name, text, path, zeroRowsPath, values: parameters.map(({ read }) => read(bindings)) }
}

/** Reports a round trip to the tracer, if one subscribes to the channel (lib/runtime/telemetry/tracing.ts does). */
export function traceRoundTrip<T>(trip: () => Promise<T>): Promise<T> {
  return roundTrips.hasSubscribers ? roundTrips.tracePromise(trip, {}) : trip()
}

const roundTrips = tracingChannel('postgres')

/**
 * Sends statements as one transaction, and cancels it when the client that waits for it has gone.
 *
 * @returns the columns of each statement's row
 */
export function sendStatements(
  pool: Pool,
  statements: readonly FilledStatement[],
  signal: AbortSignal,
): Promise<readonly Columns[]> {
  return new Promise((resolve, reject) => {
    let cancel = () => {}
    const onAbort = () => cancel()
    const forget = () => signal.removeEventListener('abort', onAbort)
    listen(signal, onAbort)
    pool.connect((cause, connection, release) => {
      if (!connection) {
        forget()
        return reject(connectionError(cause))
      }
      if (signal.aborted) {
        forget()
        release()
        return reject(new EngineError('timeout', GONE))
      }
      const cancellation = prepareCancellation(pool, connection, statements.length)
      cancel = cancellation.cancel
      roundTrip(connection, statements, (outcome) => {
        forget()
        // A connection to a former primary is of no use any more.
        const isUseless = !outcome.ok && isReadOnly(outcome.reason)
        cancellation.afterwards(() => release(isUseless))
        if (outcome.ok && cancellation.isAsked()) reject(new EngineError('timeout', CANCELLED))
        else if (outcome.ok) resolve(outcome.rows)
        else if (outcome.failed) reject(translatePostgresError(outcome.reason, outcome.failed))
        else reject(translateCommitError(outcome.reason))
      })
    })
  })
}

/** The cancellation of the statements that a connection is about to run: by `cancel`, or when they take too long. */
function prepareCancellation({ options }: Pool, connection: PoolClient, count: number) {
  let cancelled: Promise<void> | null = null
  let giveUp: NodeJS.Timeout | undefined
  const cancel = () => {
    if (cancelled !== null) return
    cancelled = requestCancel(connection)
    giveUp = setTimeout(() => connection.connection.stream.destroy(), GIVE_UP_MS)
  }
  const allowed = (options.statement_timeout || MAX_TIMER_MS) * count + OVERDUE_MS
  const overdue = setTimeout(cancel, Math.min(allowed, MAX_TIMER_MS))
  return {
    cancel,
    /** Whether it was asked for: what succeeds nevertheless may be a commit that no standby has, which must not count as done. */
    isAsked: () => cancelled !== null,
    /** Releases the connection once a cancellation is over: it must not hit the connection's next user. */
    afterwards(release: () => void) {
      clearTimeout(overdue)
      clearTimeout(giveUp)
      if (cancelled !== null) void cancelled.then(release)
      else release()
    },
  }
}

/**
 * How long after their limits statements are cancelled that PostgreSQL has not ended: where a pooler passes no limit on, or
 * a commit waits for a standby that is away.
 */
const OVERDUE_MS = 500

/**
 * How long after that a connection is given up on which the statements have not ended either: its other end may have vanished
 * without a word, and nobody else would get its place.
 */
const GIVE_UP_MS = 5_000
const MAX_TIMER_MS = 2 ** 31 - 1

/** Runs a statement whose rows are few columns of known types; cancels it when the signal is aborted. */
export async function queryRows<Row extends QueryResultRow>(
  pool: Pool,
  statement: { text: string; values: unknown[] },
  signal: AbortSignal,
): Promise<Row[]> {
  const connection = await pool.connect()
  const cancellation = prepareCancellation(pool, connection, 1)
  listen(signal, cancellation.cancel)
  try {
    return cancellation.isAsked() ? [] : (await connection.query<Row>(statement)).rows
  } finally {
    signal.removeEventListener('abort', cancellation.cancel)
    cancellation.afterwards(() => connection.release())
  }
}

const GONE = 'the caller went away before there was a connection'
const CANCELLED = 'the caller went away, or it took too long: it is not known whether it was done'

function connectionError(cause: unknown): EngineError {
  return new EngineError('postgres-error', 'connection error', { cause })
}
