import type { Pool } from 'pg'
import { allAborted } from '../../../../lib/runtime/limits/abort-signals.ts'
import { present } from '../../../../lib/runtime/present.ts'
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
 * Runs a statement that reads;
 * resolves with the columns of its one row, JSON text as the database wrote it.
 */
export type Read = (
  statement: PreparedStatement,
  bindings: Bindings,
  client: Client,
) => Promise<readonly Columns[]>

/**
 * Sends quick reads of the same turn of the event loop in one packet, because waking a backend and being
 * woken by it often costs more than the statement. The busier the engine, the more reads share a turn.
 */
export function createSharedReads(pool: Pool): Read {
  const tookMs = new WeakMap<PreparedStatement, number>()
  let turn: Waiting[] = []

  function flush() {
    const waiting = turn
    turn = []
    for (let at = 0; at < waiting.length; at += MAX_STATEMENTS_PER_PACKET)
      void together(waiting.slice(at, at + MAX_STATEMENTS_PER_PACKET))
  }

  async function together(reads: readonly Waiting[]) {
    const since = performance.now()
    const callers = allAborted(reads.map(({ client }) => client.signal))
    try {
      const filled = reads.map(({ filled }) => filled)
      const rows = await sendStatements(pool, filled, callers.signal)
      const ms = (performance.now() - since) / reads.length
      for (const [i, { statement, resolve }] of reads.entries()) {
        tookMs.set(statement, ms)
        resolve([present(rows[i], 'the row of a statement')])
      }
    } catch (error) {
      const lost = error instanceof EngineError && error.code === 'postgres-error'
      if (reads.length === 1 || lost || callers.signal.aborted)
        for (const { reject } of reads) reject(error)
      // A failure undoes the whole packet, so each statement is sent again alone.
      else
        for (const { filled, client, resolve, reject } of reads)
          sendStatements(pool, [filled], client.signal).then(resolve, reject)
    } finally {
      callers.release()
    }
  }

  async function alone(statement: PreparedStatement, bindings: Bindings, client: Client) {
    const since = performance.now()
    const rows = await runStatements(pool, [statement], bindings, client)
    tookMs.set(statement, performance.now() - since)
    return rows
  }

  function shared(statement: PreparedStatement, bindings: Bindings, client: Client) {
    const filled = fillStatement(statement, bindings)
    return new Promise<readonly Columns[]>((resolve, reject) => {
      if (turn.length === 0) setImmediate(flush)
      turn.push({ statement, filled, client, resolve, reject })
    })
  }

  return (statement, bindings, client) => {
    // A statement that is slow, or runs for the first time, goes alone: nobody should wait for it.
    const isQuick = (tookMs.get(statement) ?? Number.POSITIVE_INFINITY) < QUICK_MS
    if (!isQuick) return alone(statement, bindings, client)
    return traceRoundTrip(() => shared(statement, bindings, client))
  }
}

/** A statement that took less than this is quick: others in its packet wait up to this long for it. */
const QUICK_MS = 5

/** How many statements a packet may have: more gain little, and would leave other backends idle. */
const MAX_STATEMENTS_PER_PACKET = 4

type Waiting = {
  statement: PreparedStatement
  filled: FilledStatement
  client: Client
  resolve(rows: readonly Columns[]): void
  reject(reason: unknown): void
}
