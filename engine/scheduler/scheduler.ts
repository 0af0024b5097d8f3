import type { Engine } from '../engine.ts'
import { asynchronousActionQueue } from './asynchronous-action-queue.ts'
import { cronTriggerQueue } from './cron-trigger-queue.ts'
import { scheduleCronEvents } from './cron-trigger-schedule.ts'
import { eventTriggerQueue } from './event-trigger-queue.ts'
import { oneOffEventQueue } from './one-off-event-queue.ts'
import { startQueue } from './queue.ts'
import { createRowLocks } from './row-locks.ts'
import { installRowTriggers } from './row-triggers.ts'
import { startWorker } from './worker.ts'

/** Starts everything that runs without a request: cron triggers, one-off events, event triggers, asynchronous actions. */
export function startScheduler(engine: Engine): { stop(): Promise<void> } {
  const { config, log } = engine
  const locks = createRowLocks(config)
  const preparation = startWorker(
    'triggers',
    config.cronGenerateMs,
    () => prepareTriggers(engine),
    log,
  )
  const unsubscribe = engine.onSchemaCacheSwap(preparation.runNow)
  const queues = [
    cronTriggerQueue,
    oneOffEventQueue,
    eventTriggerQueue,
    asynchronousActionQueue,
  ].map((queue) => queue(engine))
  const workers = [preparation, ...queues.map((queue) => startQueue(queue, locks, log))]
  return {
    async stop() {
      unsubscribe()
      await Promise.all(workers.map((worker) => worker.stop()))
      await locks.close()
    },
  }
}

/** Installs what writes the events of event triggers, and writes the next events of cron triggers. */
async function prepareTriggers({ pool, schemaCache }: Engine) {
  const { cronTriggers, eventTriggers, metadata } = schemaCache().model
  const tables = metadata.sources.flatMap((source) => source.tables)
  const names = new Set(tables.flatMap((table) => table.event_triggers.map(({ name }) => name)))
  await installRowTriggers(pool, [...eventTriggers.values()], names)
  await scheduleCronEvents(pool, [...cronTriggers.values()])
}
