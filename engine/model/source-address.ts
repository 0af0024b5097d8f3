import type { Config } from '../config.ts'
import type { Metadata, SourceMetadata } from '../metadata/metadata.ts'
import { type Inconsistency, Inconsistent } from './inconsistency.ts'

/** Where a source's database is, and how many connections to it there may be. */
export type SourceAddress = { url: string; size: number }

type Settings = Pick<Config, 'sourceUrl' | 'connections' | 'environment'>

/**
 * The address of the source, as the metadata says it; if it does not, that which the settings say.
 *
 * @throws Inconsistent where the metadata leads to no address
 */
export function sourceAddress(metadata: Metadata, settings: Settings): SourceAddress {
  const source = servedSource(metadata)
  // As in Hasura, the variable for the number of connections is for a database without metadata.
  if (!source?.configuration) return { url: settings.sourceUrl, size: settings.connections }
  const { database_url: given, pool_settings } = source.configuration.connection_info ?? {}
  const url = given === undefined ? settings.sourceUrl : addressFrom(given, settings)
  return { url, size: pool_settings?.max_connections ?? DEFAULT_CONNECTIONS }
}

const DEFAULT_CONNECTIONS = 50

/** The one source that the engine serves. */
export function servedSource({ sources }: Metadata): SourceMetadata | undefined {
  return sources.find(({ kind }) => kind === 'postgres' || kind === 'pg')
}

/** Its name, by which commands name it; `default` as long as there is none. */
export function servedSourceName(metadata: Metadata): string {
  return servedSource(metadata)?.name ?? 'default'
}

/** The same metadata with nothing in its source, since that is inconsistent itself. */
export function withoutSource(metadata: Metadata): Metadata {
  const nothing = { tables: [], functions: [], native_queries: [], logical_models: [] }
  const sources = metadata.sources.map((source) => ({ ...source, ...nothing }))
  return { ...metadata, sources }
}

/** The report of a source that cannot be served. Its definition is its name, as in Hasura, and not its address. */
export function inconsistentSource(metadata: Metadata, { message }: Inconsistent): Inconsistency {
  const { name = 'default' } = servedSource(metadata) ?? {}
  const reason = `Inconsistent object: ${message}`
  return { type: 'source', name: `source ${name}`, definition: name, reason }
}

type Configuration = NonNullable<SourceMetadata['configuration']>
type Given = NonNullable<NonNullable<Configuration['connection_info']>['database_url']>

function addressFrom(given: Given, { environment }: Settings): string {
  if (typeof given === 'string') return requireAddress(given)
  if ('dynamic_from_file' in given) throw new Inconsistent('"dynamic_from_file" is not supported')
  if ('connection_parameters' in given) {
    const { host, port, username, password, database } = given.connection_parameters
    const url = new URL(`postgres://${host}:${port}/${encodeURIComponent(database)}`)
    return Object.assign(url, { username, password: password ?? '' }).href
  }
  const url = environment[given.from_env]
  if (url === undefined) throw new Inconsistent(`environment variable '${given.from_env}' not set`)
  return requireAddress(url)
}

function requireAddress(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Inconsistent('the address of the database does not begin with postgres://')
  return text
}
