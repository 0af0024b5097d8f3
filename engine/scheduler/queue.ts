import type { Log } from '../../lib/telemetry/log.ts'
import type { LockSession, Row, Settlement } from './row-locks.ts'
import { type Worker, worker } from './worker.ts'

/** A table whose rows are processed by any number of engines. */
export type Queue = {
  name: string
  everyMs: number
  /** How many rows one engine processes at once. */
  atOnce: number
  /**
   * The statement that claims rows:
   * `$1` has the ids to skip, `$2` the most rows to claim, then follow `values`.
   */
  claim: string
  values(): readonly unknown[]
  /** Processes a row; if it throws, the row is tried again later. */
  work(row: Row): Promise<Settlement>
}

/** Processes a queue until it is stopped; stopping waits for the rows that are being processed. */
export function runQueue(queue: Queue, locks: LockSession, log: Log): Worker {
  const inHand = new Set<Promise<void>>()

  async function round() {
    const room = queue.atOnce - inHand.size
    if (room <= 0) return
    const rows = await locks.claim(queue.claim, [room, ...queue.values()])
    for (const row of rows) {
      const work = workOff(row)
      inHand.add(work)
      void work.finally(() => inHand.delete(work))
    }
    // As many rows as there was room for mean that there may be more.
    if (rows.length < room) return
    await Promise.race(inHand)
    void rounds.nudge()
  }

  async function workOff(row: Row) {
    const settlement = await queue.work(row).catch((err: unknown) => {
      log.error({ err, queue: queue.name, id: row.id }, 'work failed')
      return null
    })
    await locks.settle(row.id, settlement).catch((err: unknown) => {
      log.error({ err, queue: queue.name, id: row.id }, 'could not be settled')
    })
  }

  const rounds = worker(queue.name, queue.everyMs, round, log)
  return {
    nudge: rounds.nudge,
    stop: async () => {
      await rounds.stop()
      await Promise.all(inHand)
    },
  }
}
