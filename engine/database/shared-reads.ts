import type { Pool } from 'pg'
import { EngineError } from '../errors.ts'
import type { Bindings } from '../ir/ir.ts'
import type { Client } from '../request/client.ts'
import { type FilledAt, fill, type Prepared, send, traced, transact } from './execute.ts'
import type { Columns } from './round-trip.ts'

/**
 * Runs a statement that reads;
 * resolves with the columns of its one row, JSON text as the database wrote it.
 */
export type Read = (
  statement: Prepared,
  bindings: Bindings,
  client: Client,
) => Promise<readonly Columns[]>

/**
 * Sends quick reads of the same turn of the event loop in one packet, because waking a backend and being
 * woken by it often costs more than the statement. The busier the engine, the more reads share a turn.
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
      // A failure undoes the whole packet, so each statement is sent again alone.
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
    // A statement that is slow, or runs for the first time, goes alone: nobody should wait for it.
    const isQuick = (tookMs.get(statement) ?? Number.POSITIVE_INFINITY) < QUICK_MS
    if (!isQuick) return alone(statement, bindings, client)
    return traced(() => shared(statement, bindings, client))
  }
}

/** What counts as quick: the last statement of a packet waits up to this long for each one before it. */
const QUICK_MS = 5

/** How many statements a packet may have: more gain little, and would leave other backends idle. */
const MOST_TOGETHER = 4

type Waiting = {
  statement: Prepared
  filled: FilledAt
  client: Client
  resolve(rows: readonly Columns[]): void
  reject(reason: unknown): void
}

/** All clients of a packet as one, which counts as gone when the last of them has gone. */
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
