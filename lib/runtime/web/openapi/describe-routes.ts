import { IDEMPOTENT_REPLAYED } from '../idempotency-key.ts'
import type { ErrorForm } from './error-form.ts'
import type { Examples } from './examples-form.ts'
import { type GroupedOperation, groupOperations } from './group-operations.ts'
import type { Json } from './json-schema.ts'
import { parameterObjects, requestBodyObject } from './requests.ts'
import { type RouteDescription, responseObjects } from './responses.ts'

/** The parts of an API's description that are not in its routes. */
export type Api = {
  info: { title: string; version: string; description: string }
  /** The URL at which callers reach the API. */
  baseUrl: string
  /** For each tag that another server serves, the base URL of that server. */
  elsewhere?: Readonly<Record<string, string>>
  /** The authentication schemes that the routes refer to by name. */
  securitySchemes: Readonly<Record<string, Json>>
  /** The examples of the operations, by method and path, like `GET /jwks`. */
  examples: Readonly<Record<string, Examples>>
  errorForm: ErrorForm
}

/**
 * Describes routes as OpenAPI 3.1, with the schemas that parse requests and type responses.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function describeRoutes(routes: readonly RouteDescription[], api: Api): Json {
  const paths: Record<string, Json> = {}
  for (const operation of groupOperations(routes)) {
    const item = paths[operation.path] ?? {}
    paths[operation.path] = { ...item, [operation.method]: operationObject(operation, api) }
  }
  const { title, description, version } = api.info
  return {
    openapi: '3.1.1',
    info: {
      title,
      description,
      version,
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: api.baseUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: api.securitySchemes, headers: HEADER_OBJECTS },
  }
}

const HEADER_OBJECTS = {
  'x-request-id': { description: "The request's id in the logs", schema: { type: 'string' } },
  'www-authenticate': {
    description: 'The required credentials',
    schema: { type: 'string' },
  },
  [IDEMPOTENT_REPLAYED]: {
    description: 'Present if this is the response to an earlier request with this idempotency key',
    schema: { type: 'string', const: 'true' },
  },
  'retry-after': {
    description: 'Seconds to wait before trying again',
    schema: { type: 'integer' },
  },
}

function operationObject(operation: GroupedOperation, api: Api): Json {
  const { method, path, routes } = operation
  const examples = api.examples[`${method.toUpperCase()} ${path}`] ?? {}
  const security = routes.flatMap(securityRequirements)
  const addresses = routes.map(({ tag }) => api.elsewhere?.[tag])
  const [elsewhere] = addresses
  return {
    ...(elsewhere !== undefined &&
      addresses.every((address) => address === elsewhere) && { servers: [{ url: elsewhere }] }),
    operationId: routes[0]?.operationId ?? operationId(method, path),
    tags: [...new Set(routes.map(({ tag }) => tag))],
    summary: routes.map(({ summary }) => summary).join('; '),
    ...(routes[0]?.description && { description: routes[0].description }),
    ...(routes.some(({ isDeprecated }) => isDeprecated) && { deprecated: true }),
    parameters: parameterObjects(operation, examples),
    ...requestBodyObject(operation, examples),
    responses: responseObjects(routes, examples, api.errorForm),
    ...(security.length > 0 && { security }),
  }
}

/** Returns the function name for generated clients, like `getApiV1Jwks`. */
function operationId(method: string, path: string): string {
  const words = path.split(/\W+/).filter(Boolean)
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function securityRequirements({ audience, security }: RouteDescription): readonly Json[] {
  return audience.security ?? security ?? []
}
