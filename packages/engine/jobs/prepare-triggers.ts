import type { ClientBase, Pool } from 'pg'
import { latestVersion } from '../runtime/database/metadata-version.ts'
import type { SourceConnections } from '../runtime/database/source-connections.ts'
import { LAST_USE_MS } from '../runtime/database/sources.ts'
import type { Engine } from '../runtime/engine.ts'
import type { SchemaCache } from '../runtime/schema-cache.ts'
import { scheduleCronEvents } from './cron-trigger-schedule.ts'
import { installRowTriggers } from './row-triggers.ts'

/**
 * Makes the function that installs in each source what writes the events of its event triggers, removes it from sources that are
 * no longer in the metadata, and writes the next events of cron triggers.
 *
 * @param version that of the metadata that the engine serves
 */
export function createTriggerPreparation(
  { metadataDatabase, schemaCache }: Engine,
  version: () => number,
) {
  let before = new Map<string, SourceConnections>()
  let leaving: Leaving[] = []
  return async () => {
    const cache = schemaCache()
    const isCurrent = versionCheck(metadataDatabase.pool, version())
    const now = Date.now()
    const dropped = [...before].filter(([name, connections]) => isDropped(cache, name, connections))
    // Until it has succeeded, for as long as there are connections.
    leaving = [
      ...leaving.filter(({ until }) => until > now),
      ...dropped.map(([, connections]) => ({ connections, until: now + LAST_USE_MS })),
    ]
    before = new Map([...cache.sources].map(([name, { connections }]) => [name, connections]))
    const trying = leaving
    await allDone([
      prepareSources(
        cache,
        trying.map(({ connections }) => connections),
        isCurrent,
      ),
      scheduleCronEvents(metadataDatabase.pool, [...cache.model.cronTriggers.values()]),
    ])
    leaving = leaving.filter((one) => !trying.includes(one))
  }
}

/** A source whose triggers are still to be removed. */
type Leaving = { connections: SourceConnections; until: number }

/** Whether the metadata no longer has a source, or has it in another place. One that only does not answer stays. */
function isDropped(
  { metadata, sources }: SchemaCache,
  name: string,
  connections: SourceConnections,
): boolean {
  const now = sources.get(name)
  return now ? now.connections !== connections : metadata.sources.every((one) => one.name !== name)
}

/** Whether the metadata still has this version, asked on a connection to the database of the given pool. */
type VersionCheck = (client: ClientBase, pool: Pool) => Promise<boolean>

/** Where it can, it asks on the connection that there is: waiting for a second one of the same pool might never end. */
function versionCheck(home: Pool, version: number): VersionCheck {
  return async (client, pool) => (await latestVersion(pool === home ? client : home)) === version
}

async function prepareSources(
  cache: SchemaCache,
  dropped: readonly SourceConnections[],
  isCurrent: VersionCheck,
) {
  const { model, sources, metadata } = cache
  const tables = metadata.sources.flatMap((source) => source.tables)
  const names = new Set(tables.flatMap((table) => table.event_triggers.map(({ name }) => name)))
  const served = await Promise.all(
    [...sources].map(async ([name, { connections }]) => ({
      connections,
      triggers: [...(model.sources.get(name)?.eventTriggers.values() ?? [])],
      database: await databaseOf(connections),
    })),
  )
  const left = await Promise.all(
    dropped.map(async (connections) => ({
      connections,
      triggers: [],
      database: await databaseOf(connections),
    })),
  )
  // Sources whose database is the same are one here: what one of them needs is not left over from another.
  const databases = Map.groupBy([...served, ...left], ({ database }) => database)
  const installed = [...databases.values()].map(async (together) => {
    const triggers = together.flatMap((source) => source.triggers)
    const by = together.find((source) => source.triggers.length > 0) ?? together[0]
    if (!by) return
    const { pool } = by.connections
    await installRowTriggers(pool, { triggers, names, isCurrent: (one) => isCurrent(one, pool) })
  })
  await allDone(installed)
}

/** Waits for all, and then throws why the first of those that have failed did. */
async function allDone(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}

/** What tells the database from all others, by whichever address it is reached; where that is not told, the address. */
async function databaseOf({ pool, url }: SourceConnections): Promise<string> {
  const known = databases.get(pool)
  if (known !== undefined) return known
  const { rows } = await pool
    .query<{ id: string }>(
      // A standby has the identifier of its primary, and takes no triggers.
      `select system_identifier || '/' || pg_database.oid || '/' || pg_is_in_recovery() as id
       from pg_control_system(), pg_database where datname = current_database()`,
    )
    .catch(() => ({ rows: [] }))
  const id = rows[0]?.id
  if (id !== undefined) databases.set(pool, id)
  return id ?? url
}

const databases = new WeakMap<object, string>()
