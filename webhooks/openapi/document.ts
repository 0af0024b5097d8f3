import { IDEMPOTENT_REPLAYED } from '../route/idempotency-key.ts'
import { EXAMPLES } from './examples/examples.ts'
import { type GroupedOperation, groupOperations } from './group-operations.ts'
import type { Json } from './json-schema.ts'
import { parameterObjects, requestBodyObject } from './requests.ts'
import { type Described, responseObjects } from './responses.ts'

/**
 * The developer API as OpenAPI 3.1, made from the table of routes: its schemas are those that parse
 * requests and type answers. What only our own services call, and the parts of pages, are left out.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument(routes: readonly Described[], addresses: Addresses): Json {
  const shown = routes.filter((route) => !isInternal(route))
  const title = 'Personhood platform: developer API'
  return describeRoutes(shown, { title, description: ABOUT }, addresses)
}

/** The same of what {@link openApiDocument} leaves out. */
export function internalDocument(routes: readonly Described[], addresses: Addresses): Json {
  const title = 'Personhood platform: internal endpoints of the developer API'
  return describeRoutes(
    routes.filter(isInternal),
    { title, description: ABOUT_INTERNAL },
    addresses,
  )
}

function isInternal({ tag }: Described): boolean {
  return tag === 'Internal' || tag === 'Assets' || tag === 'Portal'
}

function describeRoutes(
  routes: readonly Described[],
  about: { title: string; description: string },
  addresses: Addresses,
): Json {
  const paths: Record<string, Json> = {}
  for (const operation of groupOperations(routes)) {
    const item = paths[operation.path] ?? {}
    paths[operation.path] = { ...item, [operation.method]: operationObject(operation, addresses) }
  }
  return {
    openapi: '3.1.1',
    info: {
      ...about,
      version: '2',
      license: { name: 'GPL-3.0-or-later', identifier: 'GPL-3.0-or-later' },
    },
    servers: [{ url: addresses.baseUrl }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, headers: HEADER_OBJECTS },
  }
}

export type Addresses = {
  baseUrl: string
  /** Where prices are served, if not there too. */
  pricesUrl?: string | undefined
}

const ABOUT = `Checks that a unique person did something once, counts it, and never counts it twice.

Errors are \`{ code, detail, attribute }\`: \`code\` is stable, \`detail\` is for people, and \`attribute\`
names the field at fault, or is null. Every answer has an \`x-request-id\`. An unknown path is
404 \`not_found\`; a method that a path does not have is 405 \`method_not_allowed\`, with \`Allow\`.

Every example is accepted by a platform that \`npm start\` has made. The sign-in server has a description of its own, at
\`/openapi.json\` of its address.`

const ABOUT_INTERNAL = `What Hasura, the operator and the pages of this server call; a proxy passes none of Hasura's and the operator's on.

Operations that only Hasura may call take the secret shared with it, and answer \`{ success: false, error }\` when they
fail.`

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: "A team's API key, or the token that login and signup return",
  },
  hasura: { type: 'http', scheme: 'bearer', description: 'The secret shared with Hasura' },
}

const HEADER_OBJECTS = {
  'x-request-id': { description: "The request's id in the logs", schema: { type: 'string' } },
  'www-authenticate': {
    description: 'The credentials that are required',
    schema: { type: 'string' },
  },
  [IDEMPOTENT_REPLAYED]: {
    description: 'Present when an earlier request with this idempotency key was given the answer',
    schema: { type: 'string', const: 'true' },
  },
  'retry-after': {
    description: 'Seconds to wait before trying again',
    schema: { type: 'integer' },
  },
}

function operationObject(operation: GroupedOperation, { pricesUrl }: Addresses): Json {
  const { method, path, routes } = operation
  const examples = EXAMPLES[`${method.toUpperCase()} ${path}`] ?? {}
  const security = routes.flatMap(securityRequirements)
  const isElsewhere = pricesUrl !== undefined && routes.every(({ tag }) => tag === 'Prices')
  return {
    ...(isElsewhere && { servers: [{ url: pricesUrl }] }),
    operationId: operationId(method, path),
    tags: [...new Set(routes.map(({ tag }) => tag))],
    summary: routes.map(({ summary }) => summary).join('; '),
    ...(routes.some(({ isDeprecated }) => isDeprecated) && { deprecated: true }),
    parameters: parameterObjects(operation, examples),
    ...requestBodyObject(operation, examples),
    responses: responseObjects(routes, examples),
    ...(security.length > 0 && { security }),
  }
}

/** Such as `getApiV1Jwks`: the function names of generated clients. */
function operationId(method: string, path: string): string {
  const words = path.split(/\W+/).filter(Boolean)
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function securityRequirements({ audience, takesCredentials }: Described): Json[] {
  if (audience === 'hasura') return [{ hasura: [] }]
  return takesCredentials ? [{ bearer: [] }] : []
}
