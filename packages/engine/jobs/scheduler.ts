import type { Engine } from '../runtime/engine.ts'
import { createAsynchronousActionQueue } from './asynchronous-action-queue.ts'
import { createCronTriggerQueue } from './cron-trigger-queue.ts'
import { startEventQueues } from './event-queues.ts'
import { createOneOffEventQueue } from './one-off-event-queue.ts'
import { createTriggerPreparation } from './prepare-triggers.ts'
import { startQueue } from './queue.ts'
import { createRowLocksByDatabase } from './row-locks.ts'
import { startWorker } from './worker.ts'

/** The jobs that run without a request. */
export type Scheduler = {
  /**
   * Resolves after the first attempt to install the row triggers of event triggers, or at once if the interval is 0. The next
   * round repeats a failed attempt.
   */
  prepared: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the jobs: cron triggers, one-off events, event triggers, asynchronous actions.
 *
 * @param version the version of the metadata that the engine serves
 */
export function startScheduler(engine: Engine, version: () => number): Scheduler {
  const { config, log, metadataDatabase } = engine
  const locks = createRowLocksByDatabase(config)
  const metadataLocks = () => locks.of(metadataDatabase.url)
  const prepare = createTriggerPreparation(engine, version)
  const preparation = startWorker('triggers', config.cronGenerateMs, prepare, log)
  const events = startEventQueues(engine, locks)
  const unsubscribe = engine.onSchemaCacheSwap((cache) => {
    events.update(cache)
    return preparation.runNow()
  })
  const queues = [
    startQueue(createCronTriggerQueue(engine), metadataLocks, log),
    startQueue(createOneOffEventQueue(engine), metadataLocks, log),
    startQueue(createAsynchronousActionQueue(engine), metadataLocks, log),
  ]
  const workers = [preparation, events, ...queues]
  return {
    prepared: preparation.firstRound,
    async stop() {
      unsubscribe()
      await Promise.all(workers.map((worker) => worker.stop()))
      await locks.closeUnused([])
    },
  }
}
