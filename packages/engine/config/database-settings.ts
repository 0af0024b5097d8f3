import { z } from 'zod'
import {
  booleanSetting,
  countSetting,
  databaseSetting,
  databasesSetting,
  fromVariable,
  timeLimitSetting,
} from './setting.ts'

/** The settings of the databases, and of the files that describe the project. */
export const DATABASE_SETTINGS = {
  sourceUrl: fromVariable(
    'HASURA_GRAPHQL_DATABASE_URL',
    "The PostgreSQL of sources without an address of their own, and of the metadata. Only required without the metadata database's address.",
    databaseSetting(),
  ),
  metadataDatabaseUrl: fromVariable(
    'HASURA_GRAPHQL_METADATA_DATABASE_URL',
    "The PostgreSQL that stores the metadata and the queues, if not the source's",
    databaseSetting().nullable().default(null),
  ),
  sourceUrls: fromVariable(
    'ENGINE_SOURCE_URLS',
    'Addresses that replace those in the metadata: JSON with an address for the name of a source',
    databasesSetting().default({}),
  ),
  extensionsSchema: fromVariable(
    'HASURA_GRAPHQL_METADATA_DATABASE_EXTENSIONS_SCHEMA',
    'The schema in which the engine creates the extension `pgcrypto`',
    z.string().default('public'),
    'HASURA_GRAPHQL_EXTENSIONS_SCHEMA',
  ),
  metadataDir: fromVariable(
    'HASURA_GRAPHQL_METADATA_DIR',
    'The metadata folder. The engine applies it at the start; without it, the metadata in the database counts',
    z.string().nullable().default(null),
  ),
  migrationsDir: fromVariable(
    'HASURA_GRAPHQL_MIGRATIONS_DIR',
    'The migrations folder. The engine applies new migrations at the start',
    z.string().nullable().default(null),
  ),
  schemaSyncMs: fromVariable(
    'HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL',
    "Milliseconds between looks for other instances' changes of the metadata; 0 never looks",
    countSetting(2 ** 31 - 1).default(1000),
  ),
  connections: fromVariable(
    'HASURA_GRAPHQL_PG_CONNECTIONS',
    'Connections to each source at a time, unless the metadata says otherwise',
    countSetting(10_000).default(50),
  ),
  connectTimeoutMs: fromVariable(
    'ENGINE_CONNECT_TIMEOUT_MS',
    'Milliseconds that a request waits for a connection',
    countSetting(2 ** 31 - 1).default(10_000),
  ),
  statementTimeoutMs: fromVariable(
    'ENGINE_STATEMENT_TIMEOUT_MS',
    'Milliseconds after which PostgreSQL cancels a statement; 0 for no limit',
    timeLimitSetting(),
  ),
  usePreparedStatements: fromVariable(
    'HASURA_GRAPHQL_USE_PREPARED_STATEMENTS',
    'Use prepared statements for sources without a configuration in the metadata',
    booleanSetting().default(true),
  ),
}
