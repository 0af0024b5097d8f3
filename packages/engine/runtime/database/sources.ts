import type { Pool } from 'pg'
import type { Log } from '../../../../lib/runtime/log/log.ts'
import { Inconsistent } from '../../compiler/model/inconsistency.ts'
import {
  homeAddress,
  postgresSources,
  type SourceAddress,
  sourceAddress,
  sourceAtHome,
} from '../../compiler/model/source-address.ts'
import { installFailMutation } from '../../compiler/sql/fail-mutation.ts'
import type { IsolationLevel } from '../../config/answer-settings.ts'
import type { Config } from '../../config/config.ts'
import type { Metadata, SourceMetadata } from '../../metadata/metadata.ts'
import { type Catalog, readCatalog } from '../../postgres/catalog.ts'
import { installHdbCatalog } from './hdb-catalog.ts'
import { connectSource, type SourceConnections } from './source-connections.ts'

/** A source whose database answers, what is in it, and the isolation of its transactions. */
export type OpenSource = {
  connections: SourceConnections
  catalog: Catalog
  isolation: IsolationLevel
}

/** The databases of an engine: the one that has its metadata, and those of its sources, one of which often is the same. */
export type Sources = {
  /** The connections to the database that has the metadata, and the queues of actions and of scheduled events. */
  home: SourceConnections
  /**
   * Connects to the database of each source and reads what is in it; where nothing has changed, the connections are those which
   * there are.
   *
   * @returns by the names of the sources; why a source cannot be served if the metadata leads to no address, or its database
   *   does not answer
   */
  open(metadata: Metadata): Promise<ReadonlyMap<string, OpenSource | Inconsistent>>
  /** Says that only these are used from now on. Others are closed when the requests that use them are over. */
  keep(used: ReadonlyMap<string, OpenSource>): void
  close(): Promise<void>
}

/**
 * Connects to the database of the metadata.
 *
 * @throws when it cannot be reached
 */
export async function openSources(config: Config, log: Log, metadata: Metadata): Promise<Sources> {
  const home = connectSource(homeAddress(config, metadata), config, log)
  await installFailMutation(home.pool)
  // Each source has connections of its own, also where the databases of several are one.
  const others = new Map<string, SourceConnections>()
  /** Those that requests may still use, each with the timer that closes it. */
  const retired = new Map<SourceConnections, NodeJS.Timeout>()

  async function connectionsOf(source: SourceMetadata, atHome: string | undefined) {
    if (source.name === atHome) return home
    const address = sourceAddress(source, config)
    const key = JSON.stringify([source.name, address.url, address.size])
    const known = others.get(key)
    if (known) return known
    const made = await connectOther(address, config, log)
    others.set(key, made)
    return made
  }

  async function openSource(source: SourceMetadata, atHome: string | undefined) {
    const connections = await connectionsOf(source, atHome)
    const reading = readCatalog(connections.pool, source)
    const isHome = connections === home
    const catalog = await (isHome
      ? reading
      : reading.catch((cause: unknown) => failConnection(cause, log)))
    return { connections, catalog, isolation: sourceAddress(source, config).isolation }
  }

  return {
    home,
    async open(next) {
      const all = postgresSources(next)
      const atHome = sourceAtHome(next, config)?.name
      const opened = all.map(
        async (one) => [one.name, await openSource(one, atHome).catch(asReason)] as const,
      )
      return new Map(await Promise.all(opened))
    },
    keep(used) {
      const inUse = new Set([...used.values()].map(({ connections }) => connections))
      for (const [key, other] of others) if (!inUse.has(other)) retire(key, other)
    },
    async close() {
      for (const timer of retired.values()) clearTimeout(timer)
      const all = [home, ...others.values(), ...retired.keys()]
      await Promise.all(all.map((connections) => connections.close()))
    },
  }

  function retire(key: string, other: SourceConnections) {
    others.delete(key)
    const close = () => {
      retired.delete(other)
      void other.close()
    }
    retired.set(other, setTimeout(close, LAST_USE_MS).unref())
  }
}

/** The reason why a source is inconsistent; anything else goes on. */
function asReason(thrown: unknown): Inconsistent {
  if (thrown instanceof Inconsistent) return thrown
  throw thrown
}

/** For so long requests go on that began before the metadata named another database. */
export const LAST_USE_MS = 60_000

async function connectOther(
  address: SourceAddress,
  config: Config,
  log: Log,
): Promise<SourceConnections> {
  const made = connectSource(address, config, log)
  try {
    await installInSource(made.pool, { extensionsSchema: address.extensionsSchema, log })
    return made
  } catch (cause) {
    await made.close()
    return failConnection(cause, log)
  }
}

function failConnection(cause: unknown, log: Log): never {
  log.warn({ err: cause }, "the source's database cannot be read")
  throw new Inconsistent('connection error', { cause })
}

/** Makes in a source what its statements and event triggers need. */
async function installInSource(
  pool: Pool,
  installing: Parameters<typeof installHdbCatalog>[1],
): Promise<void> {
  const client = await pool.connect()
  try {
    await installHdbCatalog(client, installing)
  } finally {
    client.release()
  }
  await installFailMutation(pool)
}
