import type { Config } from '../config/config.ts'
import { legacyEndpoint, metadataEndpoint, queryEndpoint } from './api/endpoints.ts'
import { explainEndpoint } from './api/explain-endpoint.ts'
import { swaggerEndpoint } from './api/openapi/swagger-endpoint.ts'
import { pgDump } from './api/pg-dump.ts'
import { serverConfig } from './api/server-config.ts'
import { CONSOLE_PATH, consoleEndpoint } from './http/console-endpoint.ts'
import { type Endpoint, type EndpointRequest, errorReply, textReply } from './http/endpoint.ts'
import { graphqlEndpoint, relayEndpoint } from './http/graphql-endpoint.ts'
import { healthEndpoint } from './http/health-endpoint.ts'
import { REST_PATH, restEndpoint } from './http/rest-endpoint.ts'
import { versionEndpoint } from './http/version-endpoint.ts'

type Route = {
  method: 'GET' | 'POST'
  path: string
  /** The API that HASURA_GRAPHQL_ENABLED_APIS must contain; null if the path is always enabled. */
  api: Config['enabledApis'][number] | null
  endpoint: Endpoint
}

/** All paths, except the paths under the prefixes of `PREFIX_ROUTES`. */
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/healthz', api: null, endpoint: healthEndpoint },
  { method: 'GET', path: '/hasura/healthz', api: null, endpoint: healthEndpoint },
  { method: 'GET', path: '/v1/version', api: null, endpoint: versionEndpoint },
  { method: 'POST', path: '/v1/graphql', api: 'graphql', endpoint: graphqlEndpoint },
  { method: 'POST', path: '/v1beta1/relay', api: 'graphql', endpoint: relayEndpoint },
  { method: 'GET', path: '/v1/graphql', api: 'graphql', endpoint: persistedQueryEndpoint },
  { method: 'POST', path: '/v1/graphql/explain', api: 'graphql', endpoint: explainEndpoint },
  { method: 'POST', path: '/v1/metadata', api: 'metadata', endpoint: metadataEndpoint },
  { method: 'POST', path: '/v2/query', api: 'metadata', endpoint: queryEndpoint },
  { method: 'POST', path: '/v1/query', api: 'metadata', endpoint: legacyEndpoint },
  { method: 'GET', path: '/api/swagger/json', api: 'metadata', endpoint: swaggerEndpoint },
  { method: 'GET', path: '/v1alpha1/config', api: 'config', endpoint: serverConfig },
  { method: 'POST', path: '/v1alpha1/pg_dump', api: 'pgdump', endpoint: pgDump },
]

/** Creates the function that finds the endpoint for a method and path, among the endpoints that the configuration enables. */
export function createRouter(config: Config): (method: string, path: string) => Endpoint {
  const { enabledApis } = config
  const enabled = ROUTES.filter(({ api }) => api === null || enabledApis.includes(api))
  const prefixRoutes = PREFIX_ROUTES.filter((route) => route.isEnabled(config))
  const table = new Map(enabled.map((route) => [`${route.method} ${route.path}`, route.endpoint]))
  const relay = 'POST /v1beta1/relay'
  if (!config.enableRelay && table.has(relay)) table.set(relay, disabledRelayEndpoint)
  return (method, rawPath) => {
    const path = withoutEmptySegments(rawPath)
    const endpoint = table.get(`${method} ${path}`)
    if (endpoint) return endpoint
    const prefixRoute = prefixRoutes.find(
      ({ prefix, methods }) => path.startsWith(prefix) && methods.has(method),
    )
    if (prefixRoute) return prefixRoute.endpoint
    if (`${path}/`.startsWith(REST_PATH)) return unknownMethodEndpoint
    if (method === 'GET' || method === 'POST') return notFoundEndpoint
    if (method === 'OPTIONS' && rawPath === '*') return serverOptionsEndpoint
    return FAILING_METHODS.has(method) ? unexpectedMethodEndpoint : refusedMethodEndpoint
  }
}

/** Normalizes a path like Hasura: removes slashes at its end, and repeated slashes. */
function withoutEmptySegments(path: string): string {
  return `/${path.split('/').filter(Boolean).join('/')}`
}

type PrefixRoute = {
  prefix: string
  methods: ReadonlySet<string>
  isEnabled(config: Config): boolean
  endpoint: Endpoint
}

/** Endpoints for every path under a prefix: REST endpoints, and the console's files. */
const PREFIX_ROUTES: readonly PrefixRoute[] = [
  {
    prefix: REST_PATH,
    methods: new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
    isEnabled: () => true,
    endpoint: restEndpoint,
  },
  {
    prefix: CONSOLE_PATH,
    methods: new Set(['GET']),
    isEnabled: ({ enableConsole }) => enableConsole,
    endpoint: consoleEndpoint,
  },
]

async function notFoundEndpoint() {
  const body = { error: 'resource does not exist', path: '$', code: 'not-found' }
  return errorReply(404, JSON.stringify(body))
}

/** Methods that Hasura answers with 500 on every path outside `/api/rest/`, even if the path does not exist. */
const FAILING_METHODS: ReadonlySet<string> = new Set(['DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'])

async function unexpectedMethodEndpoint() {
  const body = { error: 'Internal Server Error', path: '$', code: 'unexpected' }
  return errorReply(500, JSON.stringify(body))
}

const ALLOWED = { Allow: 'GET, POST, OPTIONS' }

/** Rejects a method that no path has, such as TRACE. */
async function refusedMethodEndpoint({ method }: EndpointRequest) {
  const body = { error: `Method ${method} not supported.`, path: '$', code: 'method-not-allowed' }
  return { ...errorReply(405, JSON.stringify(body)), headers: ALLOWED }
}

/** Answers `OPTIONS *`, which tests whether the server is reachable (RFC 9110, section 9.3.7). */
async function serverOptionsEndpoint() {
  return { ...textReply(200, ''), headers: ALLOWED }
}

async function unknownMethodEndpoint({ method }: EndpointRequest) {
  const body = { error: `Method ${method} not supported.`, path: '$', code: 'bad-request' }
  return errorReply(400, JSON.stringify(body))
}

async function disabledRelayEndpoint() {
  const error =
    "The Relay API is disabled. To enable it, set the HASURA_GRAPHQL_ENABLE_RELAY environment variable to 'true'."
  return errorReply(400, JSON.stringify({ path: '$', error, code: 'not-supported' }))
}

/** GET /v1/graphql: rejects persisted queries, which only Hasura's paid edition has. */
async function persistedQueryEndpoint() {
  const extensions = { path: '$', code: 'not-supported' }
  return errorReply(
    200,
    JSON.stringify({ errors: [{ message: 'PersistedQueryNotSupported', extensions }] }),
  )
}
