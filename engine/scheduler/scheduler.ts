import type { Engine } from '../engine.ts'
import { asynchronousActionQueue } from './asynchronous-action-queue.ts'
import { cronTriggerQueue } from './cron-trigger-queue.ts'
import { scheduleCronEvents } from './cron-trigger-schedule.ts'
import { eventTriggerQueue } from './event-trigger-queue.ts'
import { oneOffEventQueue } from './one-off-event-queue.ts'
import { startQueue } from './queue.ts'
import { rowLocksByDatabase } from './row-locks.ts'
import { installRowTriggers } from './row-triggers.ts'
import { startWorker } from './worker.ts'

/** Starts everything that runs without a request: cron triggers, one-off events, event triggers, asynchronous actions. */
export function startScheduler(engine: Engine): { stop(): Promise<void> } {
  const { config, log, metadataDatabase, schemaCache } = engine
  const locks = rowLocksByDatabase()
  const inMetadata = () => locks.of(metadataDatabase.url)
  const inSource = () => locks.of(schemaCache().source.url)
  const preparation = startWorker(
    'triggers',
    config.cronGenerateMs,
    () => prepareTriggers(engine),
    log,
  )
  const unsubscribe = engine.onSchemaCacheSwap(async ({ source }) => {
    await locks.keep([metadataDatabase.url, source.url])
    return preparation.runNow()
  })
  const queues = [
    startQueue(cronTriggerQueue(engine), inMetadata, log),
    startQueue(oneOffEventQueue(engine), inMetadata, log),
    startQueue(asynchronousActionQueue(engine), inMetadata, log),
    startQueue(eventTriggerQueue(engine), inSource, log),
  ]
  const workers = [preparation, ...queues]
  return {
    async stop() {
      unsubscribe()
      await Promise.all(workers.map((worker) => worker.stop()))
      await locks.keep([])
    },
  }
}

/** Installs what writes the events of event triggers, and writes the next events of cron triggers. */
async function prepareTriggers({ metadataDatabase, schemaCache }: Engine) {
  const { model, source } = schemaCache()
  const { cronTriggers, eventTriggers, metadata } = model
  const tables = metadata.sources.flatMap((source) => source.tables)
  const names = new Set(tables.flatMap((table) => table.event_triggers.map(({ name }) => name)))
  await installRowTriggers(source.pool, [...eventTriggers.values()], names)
  await scheduleCronEvents(metadataDatabase.pool, [...cronTriggers.values()])
}
