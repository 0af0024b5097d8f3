import type { Pool } from 'pg'
import type { Log } from '../../lib/telemetry/log.ts'
import type { Config } from '../config.ts'
import type { Metadata } from '../metadata/metadata.ts'
import { Inconsistent } from '../model/inconsistency.ts'
import { type SourceAddress, sourceAddress } from '../model/source-address.ts'
import { type Catalog, readCatalog } from '../postgres/catalog.ts'
import { installFailMutation } from '../sql/fail-mutation.ts'
import { installHdbCatalog } from './hdb-catalog.ts'
import { connectSource, type SourceConnections } from './source-connections.ts'

/** The databases of an engine: the one that has its metadata, and that of its source, which often is the same. */
export type Sources = {
  /** The connections to the database that has the metadata, and the queues of actions and of scheduled events. */
  home: SourceConnections
  /**
   * The connections to the database that the metadata names; those which there are, if it is the same as before.
   *
   * @throws Inconsistent if the metadata leads to no address, or another database than that of the metadata does not
   *   answer
   */
  open(metadata: Metadata): Promise<SourceConnections>
  /** Reads what is in the source's database. @throws Inconsistent as `open` does */
  catalog(source: SourceConnections, metadata: Metadata): Promise<Catalog>
  /** Says that only these are used from now on. Others are closed when the requests that use them are over. */
  keep(connections: SourceConnections): void
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
  const others = new Set<SourceConnections>()
  return {
    home,
    async open(next) {
      const address = sourceAddress(next, config)
      if (address.url === home.url) return home
      const known = [...others].find(
        ({ url, size }) => url === address.url && size === address.size,
      )
      if (known) return known
      const made = await connectOther(address, config, log)
      others.add(made)
      return made
    },
    async catalog(source, next) {
      const reading = readCatalog(source.pool, next)
      return source === home
        ? reading
        : reading.catch((cause: unknown) => failConnection(cause, log))
    },
    keep(used) {
      for (const other of others) if (other !== used) retire(other)
    },
    async close() {
      await Promise.all([home, ...others].map((connections) => connections.close()))
    },
  }

  function retire(other: SourceConnections) {
    others.delete(other)
    setTimeout(() => void other.close(), LAST_USE_MS).unref()
  }
}

/** For so long requests go on that began before the metadata named another database. */
const LAST_USE_MS = 60_000

/** The database of the metadata has as many connections as the metadata says of it when the engine starts. */
function homeAddress(config: Config, metadata: Metadata): SourceAddress {
  const alone = { url: config.databaseUrl, size: config.connections }
  try {
    const address = sourceAddress(metadata, config)
    return address.url === config.databaseUrl ? address : alone
  } catch (thrown) {
    if (thrown instanceof Inconsistent) return alone
    throw thrown
  }
}

async function connectOther(
  address: SourceAddress,
  config: Config,
  log: Log,
): Promise<SourceConnections> {
  const made = connectSource(address, config, log)
  try {
    await installInSource(made.pool)
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
async function installInSource(pool: Pool): Promise<void> {
  const client = await pool.connect()
  try {
    await installHdbCatalog(client)
  } finally {
    client.release()
  }
  await installFailMutation(pool)
}
