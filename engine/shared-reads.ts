import type { Pool } from 'pg'
import type { Client } from './client.ts'
import { EngineError } from './errors.ts'
import { type FilledAt, fill, type Prepared, send, traced, transact } from './execute.ts'
import type { Bindings } from './plan/ir.ts'
import type { Columns } from './round-trip.ts'

/** Runs a statement that reads; answers the columns of its one row, JSON text as the database wrote it. */
export type Read = (
  statement: Prepared,
  bindings: Bindings,
  client: Client,
) => Promise<readonly Columns[]>

/**
 * Quick reads of one turn of the event loop go to the database in one packet: to wake a backend and to be
 * woken by it costs more than many a statement does. The busier the engine, the more there are of one turn.
 */
export function sharedReads(pool: Pool): Read {
  const tookMs = new WeakMap<Prepared, number>()
  let turn: Waiting[] = []

  function flush() {
    const waiting = turn
    turn = []
    for (let at = 0; at < waiting.length; at += MOST_TOGETHER)
      void together(waiting.slice(at, at + MOST_TOGETHER))
  }

  async function together(reads: readonly Waiting[]) {
    const since = performance.now()
    const callers = everyOneOf(reads.map(({ client }) => client))
    try {
      const filled = reads.map(({ filled }) => filled)
      const rows = await send(pool, filled, callers)
      const ms = (performance.now() - since) / reads.length
      for (const [i, { statement, resolve }] of reads.entries()) {
        tookMs.set(statement, ms)
        resolve([rows[i] ?? []])
      }
    } catch (error) {
      const lost = error instanceof EngineError && error.code === 'postgres-error'
      if (reads.length === 1 || lost || callers.haveGone())
        for (const { reject } of reads) reject(error)
      // What fails undoes the whole packet, so that the others can be asked again as if they had not been.
      else
        for (const { filled, client, resolve, reject } of reads)
          send(pool, [filled], client).then(resolve, reject)
    }
  }

  async function alone(statement: Prepared, bindings: Bindings, client: Client) {
    const since = performance.now()
    const rows = await transact(pool, [statement], bindings, client)
    tookMs.set(statement, performance.now() - since)
    return rows
  }

  function shared(statement: Prepared, bindings: Bindings, client: Client) {
    const filled = fill(statement, bindings)
    return new Promise<readonly Columns[]>((resolve, reject) => {
      if (turn.length === 0) setImmediate(flush)
      turn.push({ statement, filled, client, resolve, reject })
    })
  }

  return (statement, bindings, client) => {
    // Nobody waits behind a statement that is slow, or that nobody knows yet.
    const isQuick = (tookMs.get(statement) ?? Number.POSITIVE_INFINITY) < QUICK_MS
    if (!isQuick) return alone(statement, bindings, client)
    return traced(() => shared(statement, bindings, client))
  }
}

/** The last of a packet waits for those before it, no longer than this for each. */
const QUICK_MS = 5

/** More gain little, and would leave other backends idle. */
const MOST_TOGETHER = 4

type Waiting = {
  statement: Prepared
  filled: FilledAt
  client: Client
  resolve(rows: readonly Columns[]): void
  reject(reason: unknown): void
}

/** Those who wait for one packet: gone when the last of them is. */
function everyOneOf(clients: readonly Client[]) {
  let left = clients.length
  return {
    haveGone: () => left === 0,
    onGone(listener: () => void) {
      const takeBack = clients.map((client) =>
        client.onGone(() => {
          left -= 1
          if (left === 0) listener()
        }),
      )
      return () => {
        for (const each of takeBack) each()
      }
    },
  }
}
