import type { Pool } from 'pg'
import type { Log } from '../../../../lib/runtime/log/log.ts'
import { Inconsistent } from '../../compiler/model/inconsistency.ts'
import {
  metadataDatabaseAddress,
  metadataDatabaseSource,
  postgresSources,
  type SourceAddress,
  sourceAddress,
} from '../../compiler/model/source-address.ts'
import { installFailMutation } from '../../compiler/sql/fail-mutation.ts'
import type { IsolationLevel } from '../../config/answer-settings.ts'
import type { Config } from '../../config/config.ts'
import type { Metadata, SourceMetadata } from '../../metadata/metadata.ts'
import { type Catalog, readCatalog } from '../../postgres/catalog.ts'
import { installHdbCatalog } from './hdb-catalog.ts'
import { connectSource, type SourceConnections } from './source-connections.ts'

/** A source with a reachable database, its catalogue, and the isolation of its transactions. */
export type OpenSource = {
  connections: SourceConnections
  catalog: Catalog
  isolation: IsolationLevel
}

/** The databases of an engine: the metadata's database, and the sources' databases. Often a source is in the metadata's database. */
export type Sources = {
  /** The connections to the metadata's database, which also has the queues of actions and scheduled events. */
  home: SourceConnections
  /**
   * Connects to the database of each source and reads its catalogue. Reuses the connections of an unchanged source.
   *
   * @returns each source by name, or the reason why it cannot be served: it has no address, or its database is unreachable
   */
  open(metadata: Metadata): Promise<ReadonlyMap<string, OpenSource | Inconsistent>>
  /** Closes the connections that no source in `current` uses, after running requests have had `LAST_USE_MS` to finish. */
  closeUnused(current: ReadonlyMap<string, OpenSource>): void
  close(): Promise<void>
}

/**
 * Connects to the metadata's database.
 *
 * @throws if it cannot be reached
 */
export async function openSources(config: Config, log: Log, metadata: Metadata): Promise<Sources> {
  const home = connectSource(metadataDatabaseAddress(config, metadata), config, log)
  await installFailMutation(home.pool)
  // Each source has separate connections, also if several sources share a database.
  const otherConnections = new Map<string, SourceConnections>()
  /** Former connections that requests may still use, each with the timer that closes it. */
  const retired = new Map<SourceConnections, NodeJS.Timeout>()

  async function connectionsOf(source: SourceMetadata, metadataSource: string | undefined) {
    if (source.name === metadataSource) return home
    const address = sourceAddress(source, config)
    const key = JSON.stringify([source.name, address.url, address.size])
    const existingConnections = otherConnections.get(key)
    if (existingConnections) return existingConnections
    const connections = await connectOther(address, config, log)
    otherConnections.set(key, connections)
    return connections
  }

  async function openSource(source: SourceMetadata, metadataSource: string | undefined) {
    const connections = await connectionsOf(source, metadataSource)
    const pendingCatalog = readCatalog(connections.pool, source)
    const isMetadataDatabase = connections === home
    const catalog = await (isMetadataDatabase
      ? pendingCatalog
      : pendingCatalog.catch((cause: unknown) => failConnection(cause, log)))
    return { connections, catalog, isolation: sourceAddress(source, config).isolation }
  }

  return {
    home,
    async open(nextMetadata) {
      const allSources = postgresSources(nextMetadata)
      const metadataSource = metadataDatabaseSource(nextMetadata, config)?.name
      const openedEntries = allSources.map(
        async (source) =>
          [source.name, await openSource(source, metadataSource).catch(asReason)] as const,
      )
      return new Map(await Promise.all(openedEntries))
    },
    closeUnused(current) {
      const inUse = new Set([...current.values()].map(({ connections }) => connections))
      for (const [key, otherConnection] of otherConnections)
        if (!inUse.has(otherConnection)) retire(key, otherConnection)
    },
    async close() {
      for (const timer of retired.values()) clearTimeout(timer)
      const allSources = [home, ...otherConnections.values(), ...retired.keys()]
      await Promise.all(allSources.map((connections) => connections.close()))
    },
  }

  function retire(key: string, otherConnection: SourceConnections) {
    otherConnections.delete(key)
    const close = () => {
      retired.delete(otherConnection)
      void otherConnection.close()
    }
    retired.set(otherConnection, setTimeout(close, LAST_USE_MS).unref())
  }
}

/** Returns an `Inconsistent` as the reason, and throws any other error again. */
function asReason(thrown: unknown): Inconsistent {
  if (thrown instanceof Inconsistent) return thrown
  throw thrown
}

/** The time for which former connections of a source stay open, for requests that began before the metadata changed. */
export const LAST_USE_MS = 60_000

async function connectOther(
  address: SourceAddress,
  config: Config,
  log: Log,
): Promise<SourceConnections> {
  const connections = connectSource(address, config, log)
  try {
    await installInSource(connections.pool, { extensionsSchema: address.extensionsSchema, log })
    return connections
  } catch (cause) {
    await connections.close()
    return failConnection(cause, log)
  }
}

function failConnection(cause: unknown, log: Log): never {
  log.warn({ err: cause }, "the source's database cannot be read")
  throw new Inconsistent('connection error', { cause })
}

/** Installs in a source's database the objects that its statements and event triggers need. */
async function installInSource(
  pool: Pool,
  options: Parameters<typeof installHdbCatalog>[1],
): Promise<void> {
  const client = await pool.connect()
  try {
    await installHdbCatalog(client, options)
  } finally {
    client.release()
  }
  await installFailMutation(pool)
}
