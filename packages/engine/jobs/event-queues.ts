import type { Engine } from '../runtime/engine.ts'
import type { SchemaCache } from '../runtime/schema-cache.ts'
import { createEventTriggerQueue } from './event-trigger-queue.ts'
import { startQueue } from './queue.ts'
import type { RowLocksByDatabase } from './row-locks.ts'

/** The queues of events, one for each source with event triggers. */
export type EventQueues = {
  /** Starts queues for the sources that now have event triggers, and stops all other queues. */
  update(cache: SchemaCache): void
  stop(): Promise<void>
}

type Queue = ReturnType<typeof startQueue>

/** Starts the queues of the served sources. Each delivers the events in the database of its source. */
export function startEventQueues(engine: Engine, locks: RowLocksByDatabase): EventQueues {
  const { schemaCache, metadataDatabase, log } = engine
  const queues = new Map<string, Queue>()
  /** Resolves when all queues that were stopped so far have ended. */
  let pendingStops: Promise<unknown> = Promise.resolve()

  function start(source: string): Queue {
    const getLocks = () => locks.of(schemaCache().source(source).connections.url)
    return startQueue(createEventTriggerQueue(engine, source), getLocks, log)
  }

  function closeUnusedLocks() {
    const sources = [...schemaCache().sources.values()]
    const urls = sources.map(({ connections }) => connections.url)
    return locks.closeUnused([metadataDatabase.url, ...urls])
  }

  function update({ sources, model }: SchemaCache) {
    const sourcesWithTriggers = [...sources.keys()].filter(
      (source) => (model.sources.get(source)?.eventTriggers.size ?? 0) > 0,
    )
    const obsoleteQueues = [...queues].filter(([source]) => !sourcesWithTriggers.includes(source))
    for (const [source] of obsoleteQueues) queues.delete(source)
    for (const source of sourcesWithTriggers)
      if (!queues.has(source)) queues.set(source, start(source))
    // Does not wait for running deliveries. Their rows stay locked until the deliveries end.
    pendingStops = Promise.all([pendingStops, ...obsoleteQueues.map(([, queue]) => queue.stop())])
    void pendingStops
      .then(closeUnusedLocks)
      .catch((err: unknown) => log.error({ err }, 'cannot release the locks of a stopped queue'))
  }

  update(schemaCache())
  return {
    update,
    async stop() {
      await Promise.all([pendingStops, ...[...queues.values()].map((queue) => queue.stop())])
    },
  }
}
