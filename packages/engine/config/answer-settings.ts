import { z } from 'zod'
import { EXPERIMENTAL_FEATURES } from './experimental-features.ts'
import { NAMING_CONVENTIONS } from './naming-conventions.ts'
import { booleanSetting, fromVariable, listSetting, objectSetting, wordSetting } from './setting.ts'

/** The isolation levels of PostgreSQL's transactions, in Hasura's spelling. */
export const ISOLATION_LEVELS = ['read-committed', 'repeatable-read', 'serializable'] as const
export type IsolationLevel = (typeof ISOLATION_LEVELS)[number]

/** The isolation levels in SQL's spelling. */
export const ISOLATION_IN_SQL: Readonly<Record<IsolationLevel, string>> = {
  'read-committed': 'read committed',
  'repeatable-read': 'repeatable read',
  serializable: 'serializable',
}

/**
 * The settings that change the schema or the responses. Variables that begin with HASURA have Hasura's meanings and
 * defaults.
 */
export const ANSWER_SETTINGS = {
  stringifyNumericTypes: fromVariable(
    'HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES',
    booleanSetting().default(false),
  ),
  inferFunctionPermissions: fromVariable(
    'HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS',
    booleanSetting().default(true),
  ),
  enableRemoteSchemaPermissions: fromVariable(
    'HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS',
    booleanSetting().default(false),
  ),
  experimentalFeatures: fromVariable(
    'HASURA_GRAPHQL_EXPERIMENTAL_FEATURES',
    listSetting(wordSetting(EXPERIMENTAL_FEATURES)).default([]),
  ),
  defaultNamingConvention: fromVariable(
    'HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION',
    z.enum(NAMING_CONVENTIONS).default('hasura-default'),
  ),
  jsonbPathOperators: fromVariable('ENGINE_JSONB_PATH_OPERATORS', booleanSetting().default(false)),
  /** If true, a condition ignores operators with the value null. */
  nullCollapse: fromVariable(
    'HASURA_GRAPHQL_V1_BOOLEAN_NULL_COLLAPSE',
    booleanSetting().default(false),
  ),
  nullInNonNullableVariables: fromVariable(
    'HASURA_GRAPHQL_BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES',
    booleanSetting().default(false),
  ),
  /** If true, a remote server's `data` is returned without the errors that came with it. */
  remoteDataFirst: fromVariable(
    'HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA',
    booleanSetting().default(false),
  ),
  /** If true, nulls for optional arguments are not sent to a remote server. */
  remoteSkipsNulls: fromVariable(
    'HASURA_GRAPHQL_REMOTE_SCHEMA_SKIP_NULLS',
    booleanSetting().default(false),
  ),
  /** If true, configured headers of action handlers and validation webhooks override the client's and the engine's headers. */
  configuredHeadersFirst: fromVariable(
    'HASURA_GRAPHQL_CONFIGURED_HEADER_PRECEDENCE',
    booleanSetting().default(false),
  ),
  /** The isolation level of sources without a configuration in the metadata. */
  txIsolation: fromVariable(
    'HASURA_GRAPHQL_TX_ISOLATION',
    z.enum(ISOLATION_LEVELS).default('read-committed'),
  ),
  /** The defaults that are added to the stored metadata: objects and settings that it does not have. */
  metadataDefaults: fromVariable('HASURA_GRAPHQL_METADATA_DEFAULTS', objectSetting().default({})),
  /** If true, metadata cannot be changed, and databases are not migrated. */
  maintenanceMode: fromVariable(
    'HASURA_GRAPHQL_ENABLE_MAINTENANCE_MODE',
    booleanSetting().default(false),
  ),
  enableRelay: fromVariable('HASURA_GRAPHQL_ENABLE_RELAY', booleanSetting().default(true)),
  enableAllowlist: fromVariable('HASURA_GRAPHQL_ENABLE_ALLOWLIST', booleanSetting().default(false)),
  devMode: fromVariable('HASURA_GRAPHQL_DEV_MODE', booleanSetting().default(false)),
  adminInternalErrors: fromVariable(
    'HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS',
    booleanSetting().default(true),
  ),
}
