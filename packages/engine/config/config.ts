import { z } from 'zod'
import { ANSWER_SETTINGS } from './answer-settings.ts'
import { CALLER_SETTINGS } from './caller-settings.ts'
import {
  booleanSetting,
  boundSetting,
  countSetting,
  databaseSetting,
  databasesSetting,
  fromVariable,
  listSetting,
  settingVariable,
  settingVariables,
  timeLimitSetting,
  withBothDatabases,
  wordSetting,
} from './setting.ts'

/**
 * All settings of the engine, each with its environment variable. A variable that Hasura's server reads too has Hasura's
 * meaning and default, except one default: HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT is 10 seconds instead of 60.
 */
const Settings = z.object({
  sourceUrl: fromVariable('HASURA_GRAPHQL_DATABASE_URL', databaseSetting()),
  metadataDatabaseUrl: fromVariable(
    'HASURA_GRAPHQL_METADATA_DATABASE_URL',
    databaseSetting().nullable().default(null),
  ),
  sourceUrls: fromVariable('ENGINE_SOURCE_URLS', databasesSetting().default({})),
  extensionsSchema: fromVariable(
    'HASURA_GRAPHQL_METADATA_DATABASE_EXTENSIONS_SCHEMA',
    z.string().default('public'),
    'HASURA_GRAPHQL_EXTENSIONS_SCHEMA',
  ),
  metadataDir: fromVariable('HASURA_GRAPHQL_METADATA_DIR', z.string().nullable().default(null)),
  migrationsDir: fromVariable('HASURA_GRAPHQL_MIGRATIONS_DIR', z.string().nullable().default(null)),

  host: fromVariable('HASURA_GRAPHQL_SERVER_HOST', z.string().default('*')),
  port: fromVariable('HASURA_GRAPHQL_SERVER_PORT', countSetting(65_535).default(8080)),
  enabledApis: fromVariable(
    'HASURA_GRAPHQL_ENABLED_APIS',
    listSetting(
      wordSetting(['metadata', 'graphql', 'pgdump', 'config', 'developer', 'metrics']),
    ).default(['metadata', 'graphql', 'pgdump', 'config']),
  ),
  corsDomain: fromVariable('HASURA_GRAPHQL_CORS_DOMAIN', listSetting(z.string()).default(['*'])),
  disableCors: fromVariable('HASURA_GRAPHQL_DISABLE_CORS', booleanSetting().default(false)),
  preserve401Errors: fromVariable(
    'HASURA_GRAPHQL_PRESERVE_401_ERRORS',
    booleanSetting().default(false),
  ),
  maxBodyBytes: fromVariable(
    'ENGINE_MAX_BODY_BYTES',
    countSetting(2 ** 31 - 1).default(100 * 1024 * 1024),
  ),
  maxHeaderBytes: fromVariable(
    'HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH',
    countSetting(2 ** 31 - 1).default(1024 * 1024),
  ),
  drainSeconds: fromVariable('ENGINE_DRAIN_SECONDS', countSetting(60).default(0)),
  shutdownSeconds: fromVariable(
    'HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT',
    countSetting(3600).default(10),
  ),

  adminSecret: fromVariable(
    'HASURA_GRAPHQL_ADMIN_SECRET',
    z.string().nullable().default(null),
    'HASURA_GRAPHQL_ACCESS_KEY',
  ),
  unauthorizedRole: fromVariable(
    'HASURA_GRAPHQL_UNAUTHORIZED_ROLE',
    z.string().min(1).nullable().default(null),
  ),
  authHook: fromVariable('HASURA_GRAPHQL_AUTH_HOOK', z.url().nullable().default(null)),
  authHookMode: fromVariable(
    'HASURA_GRAPHQL_AUTH_HOOK_MODE',
    z.enum(['GET', 'POST']).default('GET'),
    'HASURA_GRAPHQL_AUTH_HOOK_TYPE',
  ),
  authHookSendRequestBody: fromVariable(
    'HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY',
    booleanSetting().default(true),
  ),
  jwtSecret: fromVariable('HASURA_GRAPHQL_JWT_SECRET', z.string().min(1).nullable().default(null)),
  jwtSecrets: fromVariable(
    'HASURA_GRAPHQL_JWT_SECRETS',
    z.string().min(1).nullable().default(null),
  ),

  ...ANSWER_SETTINGS,
  enableConsole: fromVariable('HASURA_GRAPHQL_ENABLE_CONSOLE', booleanSetting().default(false)),
  maxDocumentDepth: fromVariable('ENGINE_MAX_DOCUMENT_DEPTH', boundSetting(10_000)),
  // Hasura has no such limit. Without a limit, a document in which each fragment uses the next fragment twice would
  // expand until the memory is full.
  maxDocumentFields: fromVariable(
    'ENGINE_MAX_DOCUMENT_FIELDS',
    countSetting(10_000_000).default(20_000),
  ),

  ...CALLER_SETTINGS,

  schemaSyncMs: fromVariable(
    'HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  connections: fromVariable('HASURA_GRAPHQL_PG_CONNECTIONS', countSetting(10_000).default(50)),
  connectTimeoutMs: fromVariable(
    'ENGINE_CONNECT_TIMEOUT_MS',
    countSetting(2 ** 31 - 1).default(10_000),
  ),
  statementTimeoutMs: fromVariable('ENGINE_STATEMENT_TIMEOUT_MS', timeLimitSetting()),
  usePreparedStatements: fromVariable(
    'HASURA_GRAPHQL_USE_PREPARED_STATEMENTS',
    booleanSetting().default(true),
  ),

  liveQueriesRefetchMs: fromVariable(
    'HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  liveQueriesBatchSize: fromVariable(
    'HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE',
    countSetting(10_000).default(100),
  ),
  streamsRefetchMs: fromVariable(
    'HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  streamsBatchSize: fromVariable(
    'HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE',
    countSetting(10_000).default(100),
  ),
  websocketKeepAliveSeconds: fromVariable(
    'HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE',
    countSetting(86_400).default(5),
  ),
  websocketInitSeconds: fromVariable(
    'HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT',
    countSetting(86_400).default(3),
  ),
  websocketOperations: fromVariable('ENGINE_WEBSOCKET_OPERATIONS', boundSetting(1_000_000)),
  closeWebsocketsOnMetadataChange: fromVariable(
    'HASURA_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE',
    booleanSetting().default(true),
  ),
  wsReadCookie: fromVariable('HASURA_GRAPHQL_WS_READ_COOKIE', booleanSetting().default(false)),

  disableEventing: fromVariable('HASURA_GRAPHQL_DISABLE_EVENTING', booleanSetting().default(false)),
  eventsHttpPoolSize: fromVariable(
    'HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE',
    countSetting(10_000).default(100),
  ),
  eventsFetchMs: fromVariable(
    'HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  eventsFetchBatchSize: fromVariable(
    'HASURA_GRAPHQL_EVENTS_FETCH_BATCH_SIZE',
    countSetting(10_000).default(100),
  ),
  asyncActionsFetchMs: fromVariable(
    'HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL',
    countSetting(2 ** 31 - 1).default(1000),
  ),
  cronGenerateMs: fromVariable(
    'ENGINE_CRON_GENERATE_INTERVAL_MS',
    countSetting(2 ** 31 - 1).default(60_000),
  ),
  cronDeliverMs: fromVariable(
    'ENGINE_CRON_DELIVER_INTERVAL_MS',
    countSetting(2 ** 31 - 1).default(10_000),
  ),

  logLevel: fromVariable(
    'HASURA_GRAPHQL_LOG_LEVEL',
    wordSetting(['debug', 'info', 'warn', 'error']).default('info'),
  ),
})

export type Config = z.infer<typeof Settings> & {
  /**
   * The address of the database that stores the metadata. `sourceUrl` is the address of each source that has an address
   * neither in `sourceUrls` nor in the metadata.
   */
  databaseUrl: string
  /** The environment variables that the metadata may refer to, for example by `value_from_env` or `{{NAME}}`. */
  environment: Readonly<Record<string, string | undefined>>
}

/** The configuration is invalid; the message has a line for each fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Variables that count as set even if they are empty. If they counted as unset, the engine could be open to everyone by
 * mistake. An empty admin secret or access key is a secret, as in Hasura. Each of the other variables is rejected if it
 * is empty.
 */
const SET_WHEN_EMPTY: ReadonlySet<string> = new Set([
  'HASURA_GRAPHQL_ADMIN_SECRET',
  'HASURA_GRAPHQL_ACCESS_KEY',
  'HASURA_GRAPHQL_UNAUTHORIZED_ROLE',
  'HASURA_GRAPHQL_AUTH_HOOK',
  'HASURA_GRAPHQL_JWT_SECRET',
  'HASURA_GRAPHQL_JWT_SECRETS',
])

/**
 * Reads the settings from the environment. An empty variable counts as unset, except the variables in SET_WHEN_EMPTY.
 *
 * @throws ConfigError that lists every invalid setting; if there is none, every conflict between settings
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const variables = withBothDatabases(environment)
  const isSet = (name: string) =>
    SET_WHEN_EMPTY.has(name) ? variables[name] !== undefined : Boolean(variables[name])
  const values = Object.entries(Settings.shape).map(([key, schema]) => {
    const name = settingVariables(schema).find(isSet)
    return [key, name === undefined ? undefined : variables[name]]
  })
  const settings = Settings.safeParse(Object.fromEntries(values))
  if (!settings.success) throw new ConfigError(settings.error.issues.map(describeIssue).join('\n'))
  const conflicts = CONFLICTS.filter(([applies]) => applies(settings.data)).map(([, text]) => text)
  if (conflicts.length > 0) throw new ConfigError(conflicts.join('\n'))
  const databaseUrl = settings.data.metadataDatabaseUrl ?? settings.data.sourceUrl
  return { ...settings.data, databaseUrl, environment }
}

/** The combinations of settings with which the engine does not start, each with the message. */
const CONFLICTS: readonly [(settings: z.infer<typeof Settings>) => boolean, string][] = [
  [
    (s) => s.jwtSecret !== null && s.jwtSecrets !== null,
    'HASURA_GRAPHQL_JWT_SECRET and HASURA_GRAPHQL_JWT_SECRETS: only one can be set',
  ],
  [
    (s) => s.authHook !== null && (s.jwtSecret ?? s.jwtSecrets) !== null,
    'HASURA_GRAPHQL_AUTH_HOOK cannot be set together with HASURA_GRAPHQL_JWT_SECRET or HASURA_GRAPHQL_JWT_SECRETS',
  ],
  [
    (s) => s.authHook !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_AUTH_HOOK requires HASURA_GRAPHQL_ADMIN_SECRET',
  ],
  [
    (s) => (s.jwtSecret ?? s.jwtSecrets) !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_JWT_SECRET and HASURA_GRAPHQL_JWT_SECRETS require HASURA_GRAPHQL_ADMIN_SECRET',
  ],
  [
    (s) => s.unauthorizedRole !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_UNAUTHORIZED_ROLE requires HASURA_GRAPHQL_ADMIN_SECRET',
  ],
  [
    (s) => s.unauthorizedRole !== null && s.authHook !== null,
    'HASURA_GRAPHQL_UNAUTHORIZED_ROLE is not allowed together with HASURA_GRAPHQL_AUTH_HOOK',
  ],
  [
    (s) => s.maintenanceMode && (s.metadataDir ?? s.migrationsDir) !== null,
    'HASURA_GRAPHQL_ENABLE_MAINTENANCE_MODE: the engine applies no metadata and no migrations in maintenance mode; unset HASURA_GRAPHQL_METADATA_DIR and HASURA_GRAPHQL_MIGRATIONS_DIR',
  ],
]

/** The names of all variables that settings are read from. */
export const SETTING_VARIABLES: readonly string[] = Object.values(Settings.shape).flatMap(
  settingVariables,
)

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  const schema = Object.entries(Settings.shape).find(([key]) => key === path[0])?.[1]
  const variable = schema ? settingVariable(schema) : path.join('.')
  if (!variable.endsWith('DATABASE_URL')) return `${variable}: ${message}`
  return `${variable} must be the address of a PostgreSQL database, such as postgres://user:password@localhost:5432/name`
}
