import type { Engine } from '../runtime/engine.ts'
import { asynchronousActionQueue } from './asynchronous-action-queue.ts'
import { cronTriggerQueue } from './cron-trigger-queue.ts'
import { startEventQueues } from './event-queues.ts'
import { oneOffEventQueue } from './one-off-event-queue.ts'
import { triggerPreparation } from './prepare-triggers.ts'
import { startQueue } from './queue.ts'
import { rowLocksByDatabase } from './row-locks.ts'
import { startWorker } from './worker.ts'

/** What runs without a request. */
export type Scheduler = {
  /** Resolves when the row triggers of event triggers are installed, or could not be: the next round tries again. */
  prepared: Promise<void>
  stop(): Promise<void>
}

/**
 * Starts everything that runs without a request: cron triggers, one-off events, event triggers, asynchronous actions.
 *
 * @param version that of the metadata that the engine serves
 */
export function startScheduler(engine: Engine, version: () => number): Scheduler {
  const { config, log, metadataDatabase } = engine
  const locks = rowLocksByDatabase(config)
  const inMetadata = () => locks.of(metadataDatabase.url)
  const prepare = triggerPreparation(engine, version)
  const preparation = startWorker('triggers', config.cronGenerateMs, prepare, log)
  const events = startEventQueues(engine, locks)
  const unsubscribe = engine.onSchemaCacheSwap((cache) => {
    events.follow(cache)
    return preparation.runNow()
  })
  const queues = [
    startQueue(cronTriggerQueue(engine), inMetadata, log),
    startQueue(oneOffEventQueue(engine), inMetadata, log),
    startQueue(asynchronousActionQueue(engine), inMetadata, log),
  ]
  const workers = [preparation, events, ...queues]
  return {
    prepared: preparation.firstRound,
    async stop() {
      unsubscribe()
      await Promise.all(workers.map((worker) => worker.stop()))
      await locks.keep([])
    },
  }
}
