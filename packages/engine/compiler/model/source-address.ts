import type { IsolationLevel } from '../../config/answer-settings.ts'
import type { Config } from '../../config/config.ts'
import { ownValue } from '../../json/own-value.ts'
import type { Metadata, SourceMetadata } from '../../metadata/metadata.ts'
import { Inconsistent } from './inconsistency.ts'

/**
 * The address of a source's database, the limit on its connections, the isolation of its transactions, and the schema
 * for its extensions.
 */
export type SourceAddress = {
  url: string
  size: number
  isolation: IsolationLevel
  extensionsSchema: string
}

type Settings = Pick<
  Config,
  'sourceUrl' | 'sourceUrls' | 'connections' | 'environment' | 'txIsolation' | 'extensionsSchema'
>

/**
 * Returns the address of a source: from the settings for this source, from its metadata, or from the settings for all
 * sources, in this order.
 *
 * @throws Inconsistent if the metadata gives no valid address
 */
export function sourceAddress(source: SourceMetadata, settings: Settings): SourceAddress {
  const configuredUrl = ownValue(settings.sourceUrls, source.name)
  const { connections: size, txIsolation, sourceUrl, extensionsSchema } = settings
  // The settings for connections and isolation apply only to a source without a configuration, as in Hasura.
  if (!source.configuration)
    return { url: configuredUrl ?? sourceUrl, size, isolation: txIsolation, extensionsSchema }
  const { connection_info = {}, extensions_schema } = source.configuration
  const { database_url: databaseUrl, pool_settings, isolation_level } = connection_info
  const url =
    configuredUrl ?? (databaseUrl === undefined ? sourceUrl : addressFrom(databaseUrl, settings))
  return {
    url,
    size: pool_settings?.max_connections ?? DEFAULT_CONNECTIONS,
    isolation: isolation_level ?? 'read-committed',
    extensionsSchema: extensions_schema ?? extensionsSchema,
  }
}

const DEFAULT_CONNECTIONS = 50

type MetadataSettings = Settings & Pick<Config, 'databaseUrl'>

/** Returns the sources that the engine serves. */
export function postgresSources({ sources }: Metadata): SourceMetadata[] {
  return sources.filter(isPostgres)
}

/** Reports whether a source is a PostgreSQL database. */
export function isPostgres({ kind }: Pick<SourceMetadata, 'kind'>): boolean {
  return kind === 'postgres' || kind === 'pg'
}

/** Returns the first source with the address of the metadata's database. */
export function metadataDatabaseSource(
  metadata: Metadata,
  config: MetadataSettings,
): SourceMetadata | undefined {
  return postgresSources(metadata).find(
    (source) => addressOrNull(source, config)?.url === config.databaseUrl,
  )
}

function addressOrNull(source: SourceMetadata, config: MetadataSettings): SourceAddress | null {
  try {
    return sourceAddress(source, config)
  } catch (error) {
    if (error instanceof Inconsistent) return null
    throw error
  }
}

/**
 * Returns the address of the database that stores the metadata. If a source has the same address, the limit on its
 * connections, its isolation and its schema for extensions apply. `metadata` is the metadata when the engine starts.
 */
export function metadataDatabaseAddress(
  config: MetadataSettings,
  metadata: Metadata,
): SourceAddress {
  const source = metadataDatabaseSource(metadata, config)
  const address = source && addressOrNull(source, config)
  const { databaseUrl: url, connections: size, txIsolation: isolation, extensionsSchema } = config
  return address ?? { url, size, isolation, extensionsSchema }
}

type Configuration = NonNullable<SourceMetadata['configuration']>
type DatabaseUrl = NonNullable<NonNullable<Configuration['connection_info']>['database_url']>

function addressFrom(databaseUrl: DatabaseUrl, { environment }: Settings): string {
  if (typeof databaseUrl === 'string') return requireAddress(databaseUrl)
  if ('dynamic_from_file' in databaseUrl)
    throw new Inconsistent('"dynamic_from_file" is not supported')
  if ('connection_parameters' in databaseUrl) {
    const { host, port, username, password, database } = databaseUrl.connection_parameters
    const text = `postgres://${host}:${port}/${encodeURIComponent(database)}`
    const url = new URL(requireAddress(text))
    return Object.assign(url, { username, password: password ?? '' }).href
  }
  const url = environment[databaseUrl.from_env]
  if (url === undefined)
    throw new Inconsistent(`environment variable '${databaseUrl.from_env}' not set`)
  return requireAddress(url)
}

function requireAddress(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Inconsistent(
      'the database address must be a URL that begins with postgres:// or postgresql://',
    )
  return text
}
