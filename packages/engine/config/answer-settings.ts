import { EXPERIMENTAL_FEATURES } from './experimental-features.ts'
import { NAMING_CONVENTIONS } from './naming-conventions.ts'
import {
  booleanSetting,
  fromVariable,
  objectSetting,
  wordListSetting,
  wordSetting,
} from './setting.ts'

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
    'Return `bigint`, `numeric`, `float8` and their relatives as texts',
    booleanSetting().default(false),
  ),
  inferFunctionPermissions: fromVariable(
    'HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS',
    'A role may call a function if it may read the table that the function returns',
    booleanSetting().default(true),
  ),
  enableRemoteSchemaPermissions: fromVariable(
    'HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS',
    'A role sees only the parts of a remote schema that its permission lists',
    booleanSetting().default(false),
  ),
  experimentalFeatures: fromVariable(
    'HASURA_GRAPHQL_EXPERIMENTAL_FEATURES',
    "Hasura's experimental features, separated by commas; supported.md lists those with an effect",
    wordListSetting(EXPERIMENTAL_FEATURES).default([]),
  ),
  defaultNamingConvention: fromVariable(
    'HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION',
    'The names of types and fields: `hasura-default` or `graphql-default`; needs the experimental feature `naming_convention`',
    wordSetting(NAMING_CONVENTIONS).default('hasura-default'),
  ),
  jsonbPathOperators: fromVariable(
    'ENGINE_JSONB_PATH_OPERATORS',
    'Offer `_jsonb_path_exists` and `_jsonb_path_match`, which newer versions of Hasura have',
    booleanSetting().default(false),
  ),
  nullCollapse: fromVariable(
    'HASURA_GRAPHQL_V1_BOOLEAN_NULL_COLLAPSE',
    'Ignore operators with the value null in conditions, instead of rejecting them',
    booleanSetting().default(false),
  ),
  nullInNonNullableVariables: fromVariable(
    'HASURA_GRAPHQL_BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES',
    'Accept null for a required variable, as before Hasura 2.36',
    booleanSetting().default(false),
  ),
  remoteDataFirst: fromVariable(
    'HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA',
    "Return a remote server's `data` without the errors that came with it",
    booleanSetting().default(false),
  ),
  remoteSkipsNulls: fromVariable(
    'HASURA_GRAPHQL_REMOTE_SCHEMA_SKIP_NULLS',
    'Send no nulls for optional arguments to remote servers',
    booleanSetting().default(false),
  ),
  configuredHeadersFirst: fromVariable(
    'HASURA_GRAPHQL_CONFIGURED_HEADER_PRECEDENCE',
    "Configured headers of action handlers and validation webhooks override the client's and the engine's headers",
    booleanSetting().default(false),
  ),
  txIsolation: fromVariable(
    'HASURA_GRAPHQL_TX_ISOLATION',
    'The isolation of transactions, for sources without a configuration in the metadata: `read-committed`, `repeatable-read` or `serializable`',
    wordSetting(ISOLATION_LEVELS).default('read-committed'),
  ),
  metadataDefaults: fromVariable(
    'HASURA_GRAPHQL_METADATA_DEFAULTS',
    'Metadata as JSON: the engine serves each object whose name the stored metadata does not have',
    objectSetting().default({}),
  ),
  maintenanceMode: fromVariable(
    'HASURA_GRAPHQL_ENABLE_MAINTENANCE_MODE',
    'Metadata cannot be changed, and the engine applies neither metadata nor migrations',
    booleanSetting().default(false),
  ),
  enableRelay: fromVariable(
    'HASURA_GRAPHQL_ENABLE_RELAY',
    'Serve the API for Relay clients',
    booleanSetting().default(true),
  ),
  devMode: fromVariable(
    'HASURA_GRAPHQL_DEV_MODE',
    'Show the field `internal` of errors, with SQL and responses of webhooks, to every client',
    booleanSetting().default(false),
  ),
  adminInternalErrors: fromVariable(
    'HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS',
    'Show the field `internal` of errors to admins',
    booleanSetting().default(true),
  ),
}
