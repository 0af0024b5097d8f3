import type { Config } from '../config.ts'
import { ownValue } from '../json/own-value.ts'
import type { Metadata, SourceMetadata } from '../metadata/metadata.ts'
import { Inconsistent } from './inconsistency.ts'

/** Where a source's database is, and how many connections to it there may be. */
export type SourceAddress = { url: string; size: number }

type Settings = Pick<Config, 'sourceUrl' | 'sourceUrls' | 'connections' | 'environment'>

/**
 * The address of a source: the one which the settings say of it, or else its metadata; if that does not, the one which the settings
 * say of any.
 *
 * @throws Inconsistent where the metadata leads to no address
 */
export function sourceAddress(source: SourceMetadata, settings: Settings): SourceAddress {
  const own = ownValue(settings.sourceUrls, source.name)
  // As in Hasura, the variable for the number of connections is for a database without metadata.
  if (!source.configuration) return { url: own ?? settings.sourceUrl, size: settings.connections }
  const { database_url: given, pool_settings } = source.configuration.connection_info ?? {}
  const url = own ?? (given === undefined ? settings.sourceUrl : addressFrom(given, settings))
  return { url, size: pool_settings?.max_connections ?? DEFAULT_CONNECTIONS }
}

const DEFAULT_CONNECTIONS = 50

/** The sources that the engine serves. */
export function postgresSources({ sources }: Metadata): SourceMetadata[] {
  return sources.filter(isPostgres)
}

/** Whether the database of a source is a PostgreSQL. */
export function isPostgres({ kind }: Pick<SourceMetadata, 'kind'>): boolean {
  return kind === 'postgres' || kind === 'pg'
}

type Configuration = NonNullable<SourceMetadata['configuration']>
type Given = NonNullable<NonNullable<Configuration['connection_info']>['database_url']>

function addressFrom(given: Given, { environment }: Settings): string {
  if (typeof given === 'string') return requireAddress(given)
  if ('dynamic_from_file' in given) throw new Inconsistent('"dynamic_from_file" is not supported')
  if ('connection_parameters' in given) {
    const { host, port, username, password, database } = given.connection_parameters
    const text = `postgres://${host}:${port}/${encodeURIComponent(database)}`
    const url = new URL(requireAddress(text))
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
