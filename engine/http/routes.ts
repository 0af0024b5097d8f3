import { metadataEndpoint, queryEndpoint } from '../api/endpoints.ts'
import type { Config } from '../config.ts'
import { type Endpoint, failure } from './exchange.ts'
import { graphqlEndpoint } from './graphql-endpoint.ts'
import { healthz, version } from './health.ts'
import { REST, restEndpoint } from './rest-endpoint.ts'

type Route = {
  method: 'GET' | 'POST'
  path: string
  /** The group of HASURA_GRAPHQL_ENABLED_APIS it belongs to; null is always there. */
  api: Config['enabledApis'][number] | null
  endpoint: Endpoint
}

/** Every path we answer. */
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/healthz', api: null, endpoint: healthz },
  { method: 'GET', path: '/hasura/healthz', api: null, endpoint: healthz },
  { method: 'GET', path: '/v1/version', api: null, endpoint: version },
  { method: 'POST', path: '/v1/graphql', api: 'graphql', endpoint: graphqlEndpoint },
  { method: 'GET', path: '/v1/graphql', api: 'graphql', endpoint: persistedQueries },
  { method: 'POST', path: '/v1/metadata', api: 'metadata', endpoint: metadataEndpoint },
  { method: 'POST', path: '/v2/query', api: 'metadata', endpoint: queryEndpoint },
]

/** Looks up endpoints among the groups that are enabled. */
export function router({ enabledApis }: Config): (method: string, path: string) => Endpoint {
  const enabled = ROUTES.filter(({ api }) => api === null || enabledApis.includes(api))
  const table = new Map(enabled.map((route) => [`${route.method} ${route.path}`, route.endpoint]))
  return (method, path) => {
    const endpoint = table.get(`${method} ${path}`)
    if (endpoint) return endpoint
    return path.startsWith(REST) && REST_METHODS.has(method) ? restEndpoint : missing
  }
}

/** Saved queries are the only thing under paths that their authors choose. */
const REST_METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

async function missing() {
  const body = { path: '$', error: 'resource does not exist', code: 'not-found' }
  return failure(404, JSON.stringify(body))
}

/** GET is for persisted queries, which only the paid edition has. */
async function persistedQueries() {
  const extensions = { path: '$', code: 'not-supported' }
  return failure(
    200,
    JSON.stringify({ errors: [{ message: 'PersistedQueryNotSupported', extensions }] }),
  )
}
