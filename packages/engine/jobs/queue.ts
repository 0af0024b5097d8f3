import type { Log } from '../../../lib/runtime/log/log.ts'
import type { QueueRow, RowLocks, RowOutcome } from './row-locks.ts'
import { startWorker, type Worker } from './worker.ts'

/** A table of work that any number of engines may share. */
export type Queue = {
  name: string
  intervalMs: number
  /** The maximum number of rows that one engine processes at the same time. */
  maxConcurrent: number
  /**
   * The statement that leases rows. `$1` has the ids to skip, `$2` the maximum number of rows to lease. From `$3` on, it has the
   * values of `leaseValues`.
   */
  lease: string
  leaseValues(): readonly unknown[]
  /** Processes a row. If it throws, the row is tried again later. */
  processRow(row: QueueRow): Promise<RowOutcome>
}

/**
 * Processes the rows of a queue until it is stopped. Stopping waits for the rows in progress.
 *
 * @param getLocks returns the current locks in the queue's database
 */
export function startQueue(queue: Queue, getLocks: () => RowLocks, log: Log): Pick<Worker, 'stop'> {
  const inProgress = new Set<Promise<void>>()

  async function leaseRows() {
    const freeCount = queue.maxConcurrent - inProgress.size
    if (freeCount <= 0) return
    const locks = getLocks()
    const rows = await locks.lease(queue.lease, [freeCount, ...queue.leaseValues()])
    for (const row of rows) {
      const work = processLeasedRow(locks, row)
      inProgress.add(work)
      void work.finally(() => inProgress.delete(work))
    }
    // If the engine leased as many rows as it could, there may be more.
    if (rows.length < freeCount) return
    await Promise.race(inProgress)
    void rounds.runNow()
  }

  async function processLeasedRow(locks: RowLocks, row: QueueRow) {
    const outcome = await queue.processRow(row).catch((err: unknown) => {
      log.error({ err, queue: queue.name, id: row.id }, 'cannot process a row of the queue')
      return null
    })
    await locks.release(row.id, outcome).catch((err: unknown) => {
      log.error({ err, queue: queue.name, id: row.id }, 'cannot record the outcome of a row')
    })
  }

  const rounds = startWorker(queue.name, queue.intervalMs, leaseRows, log)
  return {
    stop: async () => {
      await rounds.stop()
      await Promise.all(inProgress)
    },
  }
}
