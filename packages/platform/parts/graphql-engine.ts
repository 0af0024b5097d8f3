import { join } from 'node:path'
import { freePort } from '../../../local/process/free-port.ts'
import { type ServerProcess, startServerProcess } from '../processes/server-process.ts'
import type { Secrets } from '../settings/secrets.ts'
import type { Settings } from '../settings/settings.ts'
import type { DatabaseUrls } from './database-roles.ts'
import { ENGINE_BOUNDS } from './engine-bounds.ts'

type GraphqlEngine = Pick<DatabaseUrls, 'hasuraUrl' | 'deliveryUrl'> & {
  settings: Settings
  secrets: Secrets
  /** The developer API, which authenticates the engine's callers and receives its events. */
  baseUrl: string
  onEnd: (error: Error) => void
}

/** Returns the address of the embedded engine. */
export function engineEndpoint({ ports }: Settings): string {
  return `http://localhost:${ports.ENGINE_PORT}`
}

/** Starts the embedded engine, which applies the migrations and the metadata of `hasura/`. */
export function startGraphqlEngine(options: GraphqlEngine): Promise<ServerProcess> {
  const { settings, hasuraUrl, deliveryUrl } = options
  return startEngineProcess(options, {
    name: 'The GraphQL engine',
    log: 'engine.log',
    port: settings.ports.ENGINE_PORT,
    databaseUrl: hasuraUrl,
    delivers: deliveryUrl === undefined,
  })
}

/** Starts a second engine that no caller uses. It runs event triggers, cron triggers and asynchronous actions. */
export async function startDeliveringEngine(
  options: GraphqlEngine,
  deliveryUrl: string,
): Promise<ServerProcess> {
  return startEngineProcess(options, {
    name: 'The delivering engine',
    log: 'delivering-engine.log',
    port: await freePort(),
    databaseUrl: deliveryUrl,
    delivers: true,
  })
}

type EngineProcess = {
  name: string
  log: string
  port: number
  databaseUrl: string
  delivers: boolean
}

function startEngineProcess(
  { settings, secrets, baseUrl, onEnd }: GraphqlEngine,
  { name, log, port, databaseUrl, delivers }: EngineProcess,
): Promise<ServerProcess> {
  return startServerProcess({
    name,
    entry: 'packages/engine/server.ts',
    env: {
      ...ENGINE_BOUNDS,
      HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
      HASURA_GRAPHQL_SERVER_PORT: String(port),
      HASURA_GRAPHQL_DATABASE_URL: databaseUrl,
      HASURA_GRAPHQL_DISABLE_EVENTING: String(!delivers),
      HASURA_GRAPHQL_METADATA_DIR: 'hasura/metadata',
      HASURA_GRAPHQL_MIGRATIONS_DIR: 'hasura/migrations',
      HASURA_GRAPHQL_ADMIN_SECRET: secrets.adminSecret,
      HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
      WEBHOOKS_URL: baseUrl,
      INTERNAL_AUTHORIZATION: `Bearer ${secrets.internalSecret}`,
      HASURA_GRAPHQL_AUTH_HOOK: `${baseUrl}/hasura/auth`,
      HASURA_GRAPHQL_AUTH_HOOK_MODE: 'POST',
      HASURA_GRAPHQL_AUTH_HOOK_SEND_REQUEST_BODY: 'false',
      ENGINE_CALLER_VARIABLES: 'x-hasura-team-id,x-hasura-user-id',
      HASURA_GRAPHQL_PRESERVE_401_ERRORS: 'true',
      HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'true',
      // No line for each request, because no program shortens the file of the log.
      HASURA_GRAPHQL_ENABLED_LOG_TYPES: 'startup',
    },
    logFile: join(settings.folder, 'logs', log),
    healthUrl: `http://localhost:${port}/healthz?strict=true`,
    onEnd,
  })
}
