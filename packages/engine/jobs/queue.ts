import type { Log } from '../../../lib/runtime/log/log.ts'
import type { QueueRow, RowLocks, RowOutcome } from './row-locks.ts'
import { startWorker, type Worker } from './worker.ts'

/** A table whose rows are work for the engines: any number of engines may share it. */
export type Queue = {
  name: string
  intervalMs: number
  /** How many rows one engine processes at once. */
  maxConcurrent: number
  /**
   * The statement that leases rows. `$1` has the ids to skip, `$2` the number of rows to lease at most; `leaseValues`
   * follow.
   */
  lease: string
  leaseValues(): readonly unknown[]
  /** Processes a row; if it throws, the row is tried again later. */
  processRow(row: QueueRow): Promise<RowOutcome>
}

/**
 * Processes the rows of a queue until it is stopped; stopping waits for the rows that are being processed.
 *
 * @param locksNow those in the database that has the queue
 */
export function startQueue(queue: Queue, locksNow: () => RowLocks, log: Log): Pick<Worker, 'stop'> {
  const inProgress = new Set<Promise<void>>()

  async function leaseRows() {
    const room = queue.maxConcurrent - inProgress.size
    if (room <= 0) return
    const locks = locksNow()
    const rows = await locks.lease(queue.lease, [room, ...queue.leaseValues()])
    for (const row of rows) {
      const work = processLeasedRow(locks, row)
      inProgress.add(work)
      void work.finally(() => inProgress.delete(work))
    }
    // If as many rows were leased as there was room for, there may be more.
    if (rows.length < room) return
    await Promise.race(inProgress)
    void rounds.runNow()
  }

  async function processLeasedRow(locks: RowLocks, row: QueueRow) {
    const outcome = await queue.processRow(row).catch((err: unknown) => {
      log.error({ err, queue: queue.name, id: row.id }, 'work failed')
      return null
    })
    await locks.release(row.id, outcome).catch((err: unknown) => {
      log.error({ err, queue: queue.name, id: row.id }, 'could not record the outcome')
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
