import type { ClientBase, Pool } from 'pg'
import { latestVersion } from '../runtime/database/metadata-version.ts'
import type { SourceConnections } from '../runtime/database/source-connections.ts'
import { LAST_USE_MS } from '../runtime/database/sources.ts'
import type { Engine } from '../runtime/engine.ts'
import type { SchemaCache } from '../runtime/schema-cache.ts'
import { scheduleCronEvents } from './cron-trigger-schedule.ts'
import { installRowTriggers } from './row-triggers.ts'

/**
 * Creates the function that prepares all triggers. It installs the row triggers of event triggers in each source, and removes them
 * from sources that are no longer in the metadata. It also writes the next events of cron triggers.
 *
 * @param version the version of the metadata that the engine serves
 */
export function createTriggerPreparation(
  { metadataDatabase, schemaCache }: Engine,
  version: () => number,
) {
  let previousSources = new Map<string, SourceConnections>()
  let removals: Removal[] = []
  return async () => {
    const cache = schemaCache()
    const isCurrent = versionCheck(metadataDatabase.pool, version())
    const now = Date.now()
    const droppedConnections = [...previousSources].filter(([name, connections]) =>
      isDropped(cache, name, connections),
    )
    // The removal of triggers is repeated until it succeeds, as long as the connections of the dropped source are open.
    removals = [
      ...removals.filter(({ expiresAt }) => expiresAt > now),
      ...droppedConnections.map(([, connections]) => ({
        connections,
        expiresAt: now + LAST_USE_MS,
      })),
    ]
    previousSources = new Map(
      [...cache.sources].map(([name, { connections }]) => [name, connections]),
    )
    const attemptedRemovals = removals
    await waitForAll([
      prepareSources(
        cache,
        attemptedRemovals.map(({ connections }) => connections),
        isCurrent,
      ),
      scheduleCronEvents(metadataDatabase.pool, [...cache.model.cronTriggers.values()]),
    ])
    removals = removals.filter((removal) => !attemptedRemovals.includes(removal))
  }
}

/** A dropped source that still has triggers. */
type Removal = { connections: SourceConnections; expiresAt: number }

/** True if the metadata no longer has a source, or has another address for it. An unreachable source is not dropped. */
function isDropped(
  { metadata, sources }: SchemaCache,
  name: string,
  connections: SourceConnections,
): boolean {
  const currentSource = sources.get(name)
  return currentSource
    ? currentSource.connections !== connections
    : metadata.sources.every((source) => source.name !== name)
}

/** Reports whether the metadata still has this version. `client` is a connection of `pool`. */
type VersionCheck = (client: ClientBase, pool: Pool) => Promise<boolean>

/** Creates the check. Uses `client` if it can, because waiting for a second connection of the same pool might never end. */
function versionCheck(metadataPool: Pool, version: number): VersionCheck {
  return async (client, pool) =>
    (await latestVersion(pool === metadataPool ? client : metadataPool)) === version
}

async function prepareSources(
  cache: SchemaCache,
  droppedConnections: readonly SourceConnections[],
  isCurrent: VersionCheck,
) {
  const { model, sources, metadata } = cache
  const tables = metadata.sources.flatMap((source) => source.tables)
  const names = new Set(tables.flatMap((table) => table.event_triggers.map(({ name }) => name)))
  const servedSources = await Promise.all(
    [...sources].map(async ([name, { connections }]) => ({
      connections,
      triggers: [...(model.sources.get(name)?.eventTriggers.values() ?? [])],
      database: await databaseOf(connections),
    })),
  )
  const droppedSources = await Promise.all(
    droppedConnections.map(async (connections) => ({
      connections,
      triggers: [],
      database: await databaseOf(connections),
    })),
  )
  // Sources with the same database are handled together, so that no source removes another source's triggers.
  const databases = Map.groupBy([...servedSources, ...droppedSources], ({ database }) => database)
  const installations = [...databases.values()].map(async (group) => {
    const triggers = group.flatMap((source) => source.triggers)
    const source = group.find((candidate) => candidate.triggers.length > 0) ?? group[0]
    if (!source) return
    const { pool } = source.connections
    await installRowTriggers(pool, {
      triggers,
      names,
      isCurrent: (client) => isCurrent(client, pool),
    })
  })
  await waitForAll(installations)
}

/** Waits for all promises, then throws the error of the first failed one. */
async function waitForAll(promises: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(promises)
  await Promise.all(promises)
}

/** Returns an id of the database that does not depend on its address; the address if the id cannot be read. */
async function databaseOf({ pool, url }: SourceConnections): Promise<string> {
  const cached = databases.get(pool)
  if (cached !== undefined) return cached
  const { rows } = await pool
    .query<{ id: string }>(
      // A standby has the identifier of its primary, but accepts no triggers.
      `select system_identifier || '/' || pg_database.oid || '/' || pg_is_in_recovery() as id
       from pg_control_system(), pg_database where datname = current_database()`,
    )
    .catch(() => ({ rows: [] }))
  const id = rows[0]?.id
  if (id !== undefined) databases.set(pool, id)
  return id ?? url
}

const databases = new WeakMap<object, string>()
