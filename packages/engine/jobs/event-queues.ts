import type { Engine } from '../runtime/engine.ts'
import type { SchemaCache } from '../runtime/schema-cache.ts'
import { createEventTriggerQueue } from './event-trigger-queue.ts'
import { startQueue } from './queue.ts'
import type { RowLocksByDatabase } from './row-locks.ts'

/** The queues of events, one for each source with event triggers. */
export type EventQueues = {
  /** Starts queues for the sources that now have event triggers, and stops all other queues. */
  follow(cache: SchemaCache): void
  stop(): Promise<void>
}

type Queue = ReturnType<typeof startQueue>

/** Starts the queues of the served sources. Each delivers the events in the database of its source. */
export function startEventQueues(engine: Engine, locks: RowLocksByDatabase): EventQueues {
  const { schemaCache, metadataDatabase, log } = engine
  const queues = new Map<string, Queue>()
  /** Resolves when all queues that were stopped so far have ended. */
  let stops: Promise<unknown> = Promise.resolve()

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
    const withTriggers = [...sources.keys()].filter(
      (source) => (model.sources.get(source)?.eventTriggers.size ?? 0) > 0,
    )
    const obsolete = [...queues].filter(([source]) => !withTriggers.includes(source))
    for (const [source] of obsolete) queues.delete(source)
    for (const source of withTriggers) if (!queues.has(source)) queues.set(source, start(source))
    // Does not wait for running deliveries. Their locks are released when they end.
    stops = Promise.all([stops, ...obsolete.map(([, queue]) => queue.stop())])
    void stops
      .then(keepLocks)
      .catch((err: unknown) => log.error({ err }, 'cannot release the locks of a stopped queue'))
  }

  follow(schemaCache())
  return {
    follow,
    async stop() {
      await Promise.all([stops, ...[...queues.values()].map((queue) => queue.stop())])
    },
  }
}
