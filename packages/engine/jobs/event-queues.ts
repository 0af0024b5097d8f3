import type { Engine } from '../runtime/engine.ts'
import type { SchemaCache } from '../runtime/schema-cache.ts'
import { createEventTriggerQueue } from './event-trigger-queue.ts'
import { startQueue } from './queue.ts'
import type { RowLocksByDatabase } from './row-locks.ts'

/** The queues of events, one for each source that has event triggers. */
export type EventQueues = {
  /** Starts queues for the sources that have event triggers now, and stops those of others. */
  follow(cache: SchemaCache): void
  stop(): Promise<void>
}

type Queue = ReturnType<typeof startQueue>

/** Starts the queues of the sources that are served; each delivers what the database of its source has. */
export function startEventQueues(engine: Engine, locks: RowLocksByDatabase): EventQueues {
  const { schemaCache, metadataDatabase, log } = engine
  const queues = new Map<string, Queue>()
  /** The ends of all queues that were stopped so far. */
  let over: Promise<unknown> = Promise.resolve()

  function start(source: string): Queue {
    const locksNow = () => locks.of(schemaCache().source(source).connections.url)
    return startQueue(createEventTriggerQueue(engine, source), locksNow, log)
  }

  function keepLocks() {
    const sources = [...schemaCache().sources.values()]
    const urls = sources.map(({ connections }) => connections.url)
    return locks.keep([metadataDatabase.url, ...urls])
  }

  function follow({ sources, model }: SchemaCache) {
    const wanted = [...sources.keys()].filter(
      (source) => (model.sources.get(source)?.eventTriggers.size ?? 0) > 0,
    )
    const gone = [...queues].filter(([source]) => !wanted.includes(source))
    for (const [source] of gone) queues.delete(source)
    for (const source of wanted) if (!queues.has(source)) queues.set(source, start(source))
    // Nobody waits for deliveries that are under way; their locks are released when these are over.
    over = Promise.all([over, ...gone.map(([, queue]) => queue.stop())])
    void over.then(keepLocks).catch((err: unknown) => log.error({ err }, 'locks are left over'))
  }

  follow(schemaCache())
  return {
    follow,
    async stop() {
      await Promise.all([over, ...[...queues.values()].map((queue) => queue.stop())])
    },
  }
}
