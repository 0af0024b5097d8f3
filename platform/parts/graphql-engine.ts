import { join } from 'node:path'
import { type ServerProcess, startServerProcess } from '../processes/server-process.ts'
import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings.ts'

type GraphqlEngine = {
  settings: Settings
  secrets: Secrets
  hasuraUrl: string
  /** The developer API, which the engine asks who sends a request, and sends its events to. */
  baseUrl: string
  onEnd: (error: Error) => void
}

/** The address of the embedded engine. */
export function engineEndpoint({ ports }: Settings): string {
  return `http://localhost:${ports.ENGINE_PORT}`
}

/** Starts the embedded engine, which applies the migrations and the metadata of `hasura/`. */
export function startGraphqlEngine(options: GraphqlEngine): Promise<ServerProcess> {
  const { settings, secrets, hasuraUrl, baseUrl, onEnd } = options
  return startServerProcess({
    name: 'The GraphQL engine',
    entry: 'engine/server.ts',
    env: {
      HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1',
      HASURA_GRAPHQL_SERVER_PORT: String(settings.ports.ENGINE_PORT),
      HASURA_GRAPHQL_DATABASE_URL: hasuraUrl,
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
    },
    logFile: join(settings.folder, 'logs', 'engine.log'),
    healthUrl: `${engineEndpoint(settings)}/healthz?strict=true`,
    onEnd,
  })
}
