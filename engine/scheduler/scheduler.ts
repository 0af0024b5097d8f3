import type { Engine } from '../engine.ts'
import { actionQueue } from './asynchronous-action-queue.ts'
import { cronQueue } from './cron-trigger-queue.ts'
import { scheduleEvents } from './cron-trigger-schedule.ts'
import { eventQueue } from './event-trigger-queue.ts'
import { oneOffQueue } from './one-off-event-queue.ts'
import { runQueue } from './queue.ts'
import { lockSession } from './row-locks.ts'
import { installRowTriggers } from './row-triggers.ts'
import { worker } from './worker.ts'

/** Runs everything that happens outside requests: scheduled events, event triggers, asynchronous actions. */
export function startScheduler(engine: Engine): { stop(): Promise<void> } {
  const { config, log, pool } = engine
  const locks = lockSession(config)
  const prepare = worker('schedules', config.cronGenerateMs, () => prepareTriggers(engine), log)
  const unsubscribe = engine.onSwap(prepare.nudge)
  const queues = [cronQueue, oneOffQueue, eventQueue, actionQueue].map((queue) => queue(engine))
  const workers = [prepare, ...queues.map((queue) => runQueue(queue, locks, log))]
  return {
    async stop() {
      unsubscribe()
      await Promise.all(workers.map((one) => one.stop()))
      await locks.close()
    },
  }

  async function prepareTriggers({ snapshot }: Engine) {
    const { cronTriggers, eventTriggers, metadata } = snapshot().model
    const tables = metadata.sources.flatMap((source) => source.tables)
    const names = new Set(tables.flatMap((table) => table.event_triggers.map(({ name }) => name)))
    await installRowTriggers(pool, [...eventTriggers.values()], names)
    await scheduleEvents(pool, [...cronTriggers.values()])
  }
}
