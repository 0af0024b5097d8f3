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
  /** The JSONPath in the request for an error of this statement. */
  path: string
  /**
   * The JSONPath for the error that this statement changed no row, although a later statement needs a changed row; default: `path`.
   */
  zeroRowsPath?: string | undefined
}

/**
 * Runs statements in one transaction and one round trip.
 *
 * @returns the columns of each statement's only row, as the JSON text of the database
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

/** A statement with the values of its parameters, and the JSONPath for its errors. */
export type FilledStatement = BoundStatement & Pick<PreparedStatement, 'path' | 'zeroRowsPath'>

/** Reads the values of a statement's parameters. */
export function fillStatement(statement: PreparedStatement, bindings: Bindings): FilledStatement {
  const { name, text, parameters, path, zeroRowsPath } = statement
  return { name, text, path, zeroRowsPath, values: parameters.map(({ read }) => read(bindings)) }
}

/** Reports a round trip to the tracer, if there is one (lib/runtime/telemetry/tracing.ts). */
export function traceRoundTrip<T>(trip: () => Promise<T>): Promise<T> {
  return roundTrips.hasSubscribers ? roundTrips.tracePromise(trip, {}) : trip()
}

const roundTrips = tracingChannel('postgres')

/**
 * Sends statements as one transaction. Cancels the transaction if the client disconnects.
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
        // After a failover, a connection to the former primary can only read, so the pool must close it.
        const isUseless = !outcome.ok && isReadOnly(outcome.reason)
        cancellation.afterwards(() => release(isUseless))
        if (outcome.ok && cancellation.isRequested()) reject(new EngineError('timeout', CANCELLED))
        else if (outcome.ok) resolve(outcome.rows)
        else if (outcome.failStatement)
          reject(translatePostgresError(outcome.reason, outcome.failStatement))
        else reject(translateCommitError(outcome.reason))
      })
    })
  })
}

/** Prepares the cancellation of a connection's next statements: by `cancel`, or if they take too long. */
function prepareCancellation({ options }: Pool, connection: PoolClient, count: number) {
  let cancelRequest: Promise<void> | null = null
  let giveUp: NodeJS.Timeout | undefined
  const cancel = () => {
    if (cancelRequest !== null) return
    cancelRequest = requestCancel(connection)
    giveUp = setTimeout(() => connection.connection.stream.destroy(), GIVE_UP_MS)
  }
  const limitMs = (options.statement_timeout || MAX_TIMER_MS) * count + OVERDUE_MS
  const overdue = setTimeout(cancel, Math.min(limitMs, MAX_TIMER_MS))
  return {
    cancel,
    /**
     * True after a cancel request. If the statements succeed nevertheless, their commit may have reached no standby, so success
     * is not reported.
     */
    isRequested: () => cancelRequest !== null,
    /** Calls `release` once a cancel request is delivered, because it must not cancel the next statement on the connection. */
    afterwards(release: () => void) {
      clearTimeout(overdue)
      clearTimeout(giveUp)
      if (cancelRequest !== null) void cancelRequest.then(release)
      else release()
    },
  }
}

/**
 * The time after the statements' limits at which the engine cancels them itself. PostgreSQL does not end them if a pooler does not
 * pass the limit on, or a commit waits for an unreachable standby.
 */
const OVERDUE_MS = 500

/**
 * How long the engine waits after a cancel request. If the statements have not ended by then, the engine closes the
 * connection: its other end may have vanished silently, and the connection would keep its place in the pool.
 */
const GIVE_UP_MS = 5_000
const MAX_TIMER_MS = 2 ** 31 - 1

/** Runs a statement through pg's ordinary query. Cancels the statement when the signal is aborted. */
export async function queryRows<Row extends QueryResultRow>(
  pool: Pool,
  statement: { text: string; values: unknown[] },
  signal: AbortSignal,
): Promise<Row[]> {
  const connection = await pool.connect()
  const cancellation = prepareCancellation(pool, connection, 1)
  listen(signal, cancellation.cancel)
  try {
    return cancellation.isRequested() ? [] : (await connection.query<Row>(statement)).rows
  } finally {
    signal.removeEventListener('abort', cancellation.cancel)
    cancellation.afterwards(() => connection.release())
  }
}

const GONE = 'the caller disconnected before there was a database connection'
const CANCELLED =
  'the caller disconnected, or the operation took too long: it is unknown whether it was committed'

function connectionError(cause: unknown): EngineError {
  return new EngineError('postgres-error', 'connection error', { cause })
}
