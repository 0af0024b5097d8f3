import type { Pool } from 'pg'
import { allAborted } from '../../../../lib/runtime/limits/abort-signals.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import type { Bindings } from '../../compiler/ir/ir.ts'
import { EngineError } from '../../errors.ts'
import type { Client } from '../../session/client.ts'
import {
  type FilledStatement,
  fillStatement,
  type PreparedStatement,
  runStatements,
  sendStatements,
  traceRoundTrip,
} from './execute.ts'
import type { Columns } from './round-trip.ts'

/**
 * Runs a statement that reads. Returns the columns of its only row, as the JSON text of the database.
 */
export type ReadColumns = (
  statement: PreparedStatement,
  bindings: Bindings,
  client: Client,
) => Promise<readonly Columns[]>

/**
 * Sends quick reads of the same turn of the event loop in one packet, because switching between the engine and a PostgreSQL backend
 * often costs more than running the statement. The busier the engine is, the more reads come in one turn.
 */
export function createSharedReads(pool: Pool): ReadColumns {
  const durationsMs = new WeakMap<PreparedStatement, number>()
  let pendingReads: PendingRead[] = []

  function flush() {
    const reads = pendingReads
    pendingReads = []
    for (let start = 0; start < reads.length; start += MAX_STATEMENTS_PER_PACKET)
      void sendTogether(reads.slice(start, start + MAX_STATEMENTS_PER_PACKET))
  }

  async function sendTogether(reads: readonly PendingRead[]) {
    const startedAt = performance.now()
    const callers = allAborted(reads.map(({ client }) => client.signal))
    try {
      const statements = reads.map(({ filled }) => filled)
      const rows = await sendStatements(pool, statements, callers.signal)
      const ms = (performance.now() - startedAt) / reads.length
      for (const [i, { statement, resolve }] of reads.entries()) {
        durationsMs.set(statement, ms)
        resolve([requireValue(rows[i], 'the row of a statement')])
      }
    } catch (error) {
      const isLostConnection = error instanceof EngineError && error.code === 'postgres-error'
      if (reads.length === 1 || isLostConnection || callers.signal.aborted)
        for (const { reject } of reads) reject(error)
      // A failure rolls back the whole packet, so each statement is sent again alone.
      else
        for (const { filled, client, resolve, reject } of reads)
          sendStatements(pool, [filled], client.signal).then(resolve, reject)
    } finally {
      callers.release()
    }
  }

  async function sendAlone(statement: PreparedStatement, bindings: Bindings, client: Client) {
    const startedAt = performance.now()
    const rows = await runStatements(pool, [statement], bindings, client)
    durationsMs.set(statement, performance.now() - startedAt)
    return rows
  }

  function sendShared(statement: PreparedStatement, bindings: Bindings, client: Client) {
    const filled = fillStatement(statement, bindings)
    return new Promise<readonly Columns[]>((resolve, reject) => {
      if (pendingReads.length === 0) setImmediate(flush)
      pendingReads.push({ statement, filled, client, resolve, reject })
    })
  }

  return (statement, bindings, client) => {
    // A slow or new statement is sent alone, so that no other statement waits for it.
    const isQuick = (durationsMs.get(statement) ?? Number.POSITIVE_INFINITY) < QUICK_MS
    if (!isQuick) return sendAlone(statement, bindings, client)
    return traceRoundTrip(() => sendShared(statement, bindings, client))
  }
}

/** The duration below which a statement is quick. Other statements in its packet wait for it. */
const QUICK_MS = 5

/** The maximum number of statements in a packet. A larger packet would gain little, and leave other PostgreSQL backends idle. */
const MAX_STATEMENTS_PER_PACKET = 4

type PendingRead = {
  statement: PreparedStatement
  filled: FilledStatement
  client: Client
  resolve(rows: readonly Columns[]): void
  reject(reason: unknown): void
}
