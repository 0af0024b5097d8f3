import type { Log } from '../../lib/telemetry/log.ts'
import type { QueueRow, RowLocks, RowOutcome } from './row-locks.ts'
import { startWorker, type Worker } from './worker.ts'

/** A table whose rows are processed by any number of engines. */
export type Queue = {
  name: string
  intervalMs: number
  /** How many rows one engine processes at once. */
  maxConcurrent: number
  /**
   * The statement that claims rows:
   * `$1` has the ids to skip, `$2` the most rows to claim, then follow `values`.
   */
  claim: string
  claimValues(): readonly unknown[]
  /** Processes a row; if it throws, the row is tried again later. */
  processRow(row: QueueRow): Promise<RowOutcome>
}

/** Processes a queue until it is stopped; stopping waits for the rows that are being processed. */
export function startQueue(queue: Queue, locks: RowLocks, log: Log): Worker {
  const inHand = new Set<Promise<void>>()

  async function round() {
    const room = queue.maxConcurrent - inHand.size
    if (room <= 0) return
    const rows = await locks.claim(queue.claim, [room, ...queue.claimValues()])
    for (const row of rows) {
      const work = workOff(row)
      inHand.add(work)
      void work.finally(() => inHand.delete(work))
    }
    // As many rows as there was room for mean that there may be more.
    if (rows.length < room) return
    await Promise.race(inHand)
    void rounds.runNow()
  }

  async function workOff(row: QueueRow) {
    const settlement = await queue.processRow(row).catch((err: unknown) => {
      log.error({ err, queue: queue.name, id: row.id }, 'work failed')
      return null
    })
    await locks.release(row.id, settlement).catch((err: unknown) => {
      log.error({ err, queue: queue.name, id: row.id }, 'could not be settled')
    })
  }

  const rounds = startWorker(queue.name, queue.intervalMs, round, log)
  return {
    runNow: rounds.runNow,
    stop: async () => {
      await rounds.stop()
      await Promise.all(inHand)
    },
  }
}
