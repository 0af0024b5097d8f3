/**
 * The variables that the server of Hasura v2.48.16's community edition reads, and that this engine does not, each with
 * the reason, or with what to do instead.
 *
 * @see https://github.com/hasura/graphql-engine/blob/master/server/src-lib/Hasura/Server/Init/Arg/Command/Serve.hs
 */
export const HASURA_ONLY_VARIABLES: Readonly<Record<string, string>> = {
  HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_BATCH_SIZE:
    'the engine leases as many asynchronous actions as HASURA_GRAPHQL_EVENTS_HTTP_POOL_SIZE allows',
  HASURA_GRAPHQL_CONNECTIONS_PER_READ_REPLICA: 'the engine reads from no replicas',
  HASURA_GRAPHQL_CONNECTION_COMPRESSION:
    'WebSocket messages are not compressed; compress them in a proxy',
  HASURA_GRAPHQL_CONSOLE_ASSETS_DIR: 'the engine serves GraphiQL instead of the console',
  HASURA_GRAPHQL_DISABLE_NATIVE_QUERY_VALIDATION:
    'the engine always checks native queries against the database',
  HASURA_GRAPHQL_DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX:
    'the engine reads no secrets from files; put addresses into variables',
  HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION: 'the engine is no subgraph of Apollo Federation',
  HASURA_GRAPHQL_ENABLE_METADATA_QUERY_LOGGING: 'the log never has commands of the metadata API',
  HASURA_GRAPHQL_ENABLE_PERSISTED_QUERIES:
    'the engine refuses persisted queries, as Hasura does by default',
  HASURA_GRAPHQL_ENABLE_QUERY_TRACING: 'use OTEL_EXPORTER_OTLP_ENDPOINT for traces',
  HASURA_GRAPHQL_ENABLE_TELEMETRY: 'the engine sends no telemetry',
  HASURA_GRAPHQL_ENABLE_TRIGGERS_ERROR_LOG_LEVEL:
    'failed deliveries are in hdb_catalog, not in the log',
  HASURA_GRAPHQL_HTTP_LOG_QUERY_ONLY_ON_ERROR: 'http-log has a query only if query-log is enabled',
  HASURA_GRAPHQL_LOG_MASKED_VARIABLES:
    'nothing is masked in the query-log; leave query-log disabled',
  HASURA_GRAPHQL_NO_OF_RETRIES:
    'the engine ends if it cannot reach the metadata database at the start; let the container restart',
  HASURA_GRAPHQL_PERSISTED_QUERIES_TTL: 'the engine refuses persisted queries',
  HASURA_GRAPHQL_PG_CONN_LIFETIME: 'the engine replaces each connection after ten minutes',
  HASURA_GRAPHQL_PG_POOL_TIMEOUT: 'use ENGINE_CONNECT_TIMEOUT_MS',
  HASURA_GRAPHQL_PG_STRIPES: 'the engine has one pool for each source',
  HASURA_GRAPHQL_PG_TIMEOUT:
    'idle connections stay open until the engine replaces them, after ten minutes',
  HASURA_GRAPHQL_QUERY_PLAN_CACHE_SIZE: 'the cache of plans is limited by memory, 64 MiB',
  HASURA_GRAPHQL_SERVER_TIMEOUT: 'the engine closes connections that are idle for 30 seconds',
  HASURA_GRAPHQL_STRIPES_PER_READ_REPLICA: 'the engine reads from no replicas',
}

/** The variables that this package's command line reads, each with its meaning. */
export const COMMAND_LINE_VARIABLES: Readonly<Record<string, string>> = {
  HASURA_GRAPHQL_ENDPOINT:
    'The server for `apply`, `export`, `status` and `diff`; wins over `config.yaml`',
  HASURA_GRAPHQL_METADATA_DIRECTORY: 'The metadata folder in the project',
  HASURA_GRAPHQL_MIGRATIONS_DIRECTORY: 'The migrations folder in the project',
  HASURA_GRAPHQL_PROJECT: 'The folder of the project, which has `config.yaml`',
  HASURA_GRAPHQL_SEEDS_DIRECTORY: 'The seeds folder in the project',
}
