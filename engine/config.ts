import { z } from 'zod'
import { EXPERIMENTAL_FEATURES } from './experimental-features.ts'
import { own } from './json/own.ts'

/** All settings of the engine, with the environment variable of each; meanings and defaults are Hasura's. */
const Settings = z.object({
  databaseUrl: from('HASURA_GRAPHQL_DATABASE_URL', z.url({ protocol: /^postgres(ql)?$/ })),
  metadataDatabaseUrl: from(
    'HASURA_GRAPHQL_METADATA_DATABASE_URL',
    z.string().nullable().default(null),
  ),
  metadataDir: from('HASURA_GRAPHQL_METADATA_DIR', z.string().nullable().default(null)),
  migrationsDir: from('HASURA_GRAPHQL_MIGRATIONS_DIR', z.string().nullable().default(null)),

  host: from('HASURA_GRAPHQL_SERVER_HOST', z.string().default('*')),
  port: from('HASURA_GRAPHQL_SERVER_PORT', count(65_535).default(8080)),
  enabledApis: from(
    'HASURA_GRAPHQL_ENABLED_APIS',
    list(z.enum(['metadata', 'graphql', 'pgdump', 'config', 'developer', 'metrics'])).default([
      'metadata',
      'graphql',
      'pgdump',
      'config',
    ]),
  ),
  corsDomain: from('HASURA_GRAPHQL_CORS_DOMAIN', list(z.string()).default(['*'])),
  disableCors: from('HASURA_GRAPHQL_DISABLE_CORS', flag().default(false)),
  preserve401Errors: from('HASURA_GRAPHQL_PRESERVE_401_ERRORS', flag().default(false)),
  maxBodyBytes: from('ENGINE_MAX_BODY_BYTES', count(2 ** 31 - 1).default(10 * 1024 * 1024)),
  shutdownSeconds: from('HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT', count(3600).default(10)),

  adminSecret: from('HASURA_GRAPHQL_ADMIN_SECRET', z.string().nullable().default(null)),
  unauthorizedRole: from('HASURA_GRAPHQL_UNAUTHORIZED_ROLE', z.string().nullable().default(null)),
  authHook: from('HASURA_GRAPHQL_AUTH_HOOK', z.url().nullable().default(null)),
  authHookMode: from('HASURA_GRAPHQL_AUTH_HOOK_MODE', z.enum(['GET', 'POST']).default('GET')),
  authHookSendRequestBody: from('HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY', flag().default(true)),
  jwtSecret: from('HASURA_GRAPHQL_JWT_SECRET', z.string().nullable().default(null)),
  jwtSecrets: from('HASURA_GRAPHQL_JWT_SECRETS', z.string().nullable().default(null)),

  stringifyNumericTypes: from('HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES', flag().default(false)),
  inferFunctionPermissions: from('HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS', flag().default(true)),
  experimentalFeatures: from(
    'HASURA_GRAPHQL_EXPERIMENTAL_FEATURES',
    list(z.enum(EXPERIMENTAL_FEATURES)).default([]),
  ),
  enableAllowlist: from('HASURA_GRAPHQL_ENABLE_ALLOWLIST', flag().default(false)),
  enableConsole: from('HASURA_GRAPHQL_ENABLE_CONSOLE', flag().default(false)),
  devMode: from('HASURA_GRAPHQL_DEV_MODE', flag().default(false)),
  adminInternalErrors: from('HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS', flag().default(true)),
  maxDocumentDepth: from('ENGINE_MAX_DOCUMENT_DEPTH', count(10_000).default(60)),
  maxDocumentFields: from('ENGINE_MAX_DOCUMENT_FIELDS', count(10_000_000).default(20_000)),

  schemaSyncMs: from('HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL', count(2 ** 31 - 1).default(1000)),
  connections: from('HASURA_GRAPHQL_PG_CONNECTIONS', count(10_000).default(50)),
  connectTimeoutMs: from('ENGINE_CONNECT_TIMEOUT_MS', count(2 ** 31 - 1).default(10_000)),
  statementTimeoutMs: from('ENGINE_STATEMENT_TIMEOUT_MS', count(2 ** 31 - 1).default(60_000)),
  usePreparedStatements: from('HASURA_GRAPHQL_USE_PREPARED_STATEMENTS', flag().default(true)),

  liveQueriesRefetchMs: from(
    'HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
    count(2 ** 31 - 1).default(1000),
  ),
  liveQueriesBatchSize: from(
    'HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE',
    count(10_000).default(100),
  ),
  streamsRefetchMs: from(
    'HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL',
    count(2 ** 31 - 1).default(1000),
  ),
  streamsBatchSize: from(
    'HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE',
    count(10_000).default(100),
  ),
  websocketKeepAliveSeconds: from('HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE', count(86_400).default(5)),
  websocketInitSeconds: from(
    'HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT',
    count(86_400).default(3),
  ),
  websocketOperations: from('ENGINE_WEBSOCKET_OPERATIONS', count(1_000_000).default(1_000)),
  closeWebsocketsOnMetadataChange: from(
    'HASURA_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE',
    flag().default(true),
  ),
  wsReadCookie: from('HASURA_GRAPHQL_WS_READ_COOKIE', flag().default(false)),

  eventsHttpPoolSize: from('HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE', count(10_000).default(100)),
  eventsFetchMs: from('HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL', count(2 ** 31 - 1).default(1000)),
  eventsFetchBatchSize: from('HASURA_GRAPHQL_EVENTS_FETCH_BATCH_SIZE', count(10_000).default(100)),
  asyncActionsFetchMs: from(
    'HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL',
    count(2 ** 31 - 1).default(1000),
  ),
  cronGenerateMs: from('ENGINE_CRON_GENERATE_INTERVAL_MS', count(2 ** 31 - 1).default(60_000)),
  cronDeliverMs: from('ENGINE_CRON_DELIVER_INTERVAL_MS', count(2 ** 31 - 1).default(10_000)),

  logLevel: from(
    'HASURA_GRAPHQL_LOG_LEVEL',
    z.enum(['debug', 'info', 'warn', 'error']).default('info'),
  ),
})

/** The settings, read and checked. */
export type Config = z.infer<typeof Settings> & {
  /** The variables that `value_from_env` and `{{NAME}}` in the metadata may refer to. */
  environment: Readonly<Record<string, string | undefined>>
}

/** The configuration is unusable; the message has one line per fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the environment once, at the entry point; an empty variable counts as not set.
 *
 * @throws ConfigError that lists everything wrong at once
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const given = Object.entries(Settings.shape).map(([key, schema]) => [
    key,
    environment[nameOf(schema)] || undefined,
  ])
  const settings = Settings.safeParse(Object.fromEntries(given))
  if (!settings.success) throw new ConfigError(settings.error.issues.map(sentence).join('\n'))
  const conflicts = CONFLICTS.filter(([applies]) => applies(settings.data)).map(([, text]) => text)
  if (conflicts.length > 0) throw new ConfigError(conflicts.join('\n'))
  return { ...settings.data, environment }
}

/** Combinations that Hasura, or we, refuse to start with. */
const CONFLICTS: readonly [(settings: z.infer<typeof Settings>) => boolean, string][] = [
  [
    (s) => s.metadataDatabaseUrl !== null && s.metadataDatabaseUrl !== s.databaseUrl,
    'HASURA_GRAPHQL_METADATA_DATABASE_URL: the metadata cannot be in another database than HASURA_GRAPHQL_DATABASE_URL names',
  ],
  [
    (s) => s.jwtSecret !== null && s.jwtSecrets !== null,
    'HASURA_GRAPHQL_JWT_SECRET and HASURA_GRAPHQL_JWT_SECRETS: only one can be set',
  ],
  [
    (s) => s.authHook !== null && (s.jwtSecret ?? s.jwtSecrets) !== null,
    'HASURA_GRAPHQL_AUTH_HOOK and HASURA_GRAPHQL_JWT_SECRET: only one can be set',
  ],
  [
    (s) => s.authHook !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_AUTH_HOOK requires HASURA_GRAPHQL_ADMIN_SECRET',
  ],
  [
    (s) => (s.jwtSecret ?? s.jwtSecrets) !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_JWT_SECRET requires HASURA_GRAPHQL_ADMIN_SECRET',
  ],
  [
    (s) => s.unauthorizedRole !== null && s.adminSecret === null,
    'HASURA_GRAPHQL_UNAUTHORIZED_ROLE requires HASURA_GRAPHQL_ADMIN_SECRET',
  ],
  [
    (s) => s.unauthorizedRole !== null && s.authHook !== null,
    'HASURA_GRAPHQL_UNAUTHORIZED_ROLE is not allowed together with HASURA_GRAPHQL_AUTH_HOOK',
  ],
]

function from<T extends z.ZodType>(variable: string, schema: T): T {
  return schema.meta({ variable })
}

function nameOf(schema: z.ZodType): string {
  return String(schema.meta()?.variable)
}

function sentence({ path, message }: z.core.$ZodIssue): string {
  const schema = Object.entries(Settings.shape).find(([key]) => key === path[0])?.[1]
  return `${schema ? nameOf(schema) : path.join('.')}: ${message}`
}

const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  yes: true,
  y: true,
  false: false,
  f: false,
  no: false,
  n: false,
}

function flag() {
  return z.string().transform((text, context) => {
    const value = own(WORDS, text.toLowerCase())
    if (value === undefined) context.addIssue('neither true nor false')
    return value === true
  })
}

function count(maximum: number) {
  return z.coerce.number().int().min(0).max(maximum)
}

function list<T extends z.ZodType<unknown, string>>(item: T) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item))
}
