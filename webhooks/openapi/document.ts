import { z } from 'zod'
import { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED } from '../route/idempotency-key.ts'
import { anyOf, type Json, toJsonSchema } from './json-schema.ts'
import { type Described, responseObjects } from './responses.ts'

/** An operation of the document; routes that only the form of an id tells apart share one. */
type GroupedOperation = { method: string; path: string; routes: readonly Described[] }

/**
 * The developer API as OpenAPI 3.1, made from the table of routes: its schemas are those that parse
 * requests and type answers.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function openApiDocument(routes: readonly Described[], addresses: Addresses): Json {
  const paths: Record<string, Json> = {}
  for (const operation of groupOperations(routes)) {
    const item = paths[operation.path] ?? {}
    paths[operation.path] = { ...item, [operation.method]: operationObject(operation, addresses) }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Personhood platform: developer API',
      version: '2',
      description: ABOUT,
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
names the field at fault, or is null. Operations that only Hasura may call answer
\`{ success: false, error }\` when they fail. Every answer has an \`x-request-id\`. An unknown path is
404 \`not_found\`; a method that a path does not have is 405 \`method_not_allowed\`, with \`Allow\`.`

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

/** Every operation, in the order of the table. */
function groupOperations(routes: readonly Described[]): GroupedOperation[] {
  const found = new Map<string, GroupedOperation>()
  for (const route of routes)
    for (const method of route.methods) {
      const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
      const shape = `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`
      // The later route also takes the ids that the earlier one does not, so its name for the id
      // fits both.
      found.set(shape, { method, path, routes: [...(found.get(shape)?.routes ?? []), route] })
    }
  return [...found.values()]
}

function operationObject(
  { method, path, routes }: GroupedOperation,
  { pricesUrl }: Addresses,
): Json {
  const security = routes.flatMap(securityRequirements)
  const isElsewhere = pricesUrl !== undefined && routes.every(({ tag }) => tag === 'Prices')
  return {
    ...(isElsewhere && { servers: [{ url: pricesUrl }] }),
    operationId: operationId(method, path),
    tags: [...new Set(routes.map(({ tag }) => tag))],
    summary: routes.map(({ summary }) => summary).join('; '),
    ...(routes.some(({ isDeprecated }) => isDeprecated) && { deprecated: true }),
    parameters: parameterObjects(method, path, routes),
    ...requestBodyObject(method, routes),
    responses: responseObjects(routes),
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

function parameterObjects(method: string, path: string, routes: readonly Described[]): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = new Map<string, Json>()
  for (const route of routes)
    if (method === 'get')
      for (const [name, schema] of Object.entries(fieldsOutsidePath(route).properties))
        inQuery.set(name, {
          name,
          in: 'query',
          required: fieldsOutsidePath(route).required.includes(name),
          schema,
        })
  const takesKey = routes.some(({ takesIdempotencyKey }) => takesIdempotencyKey)
  return [...inPath, ...inQuery.values(), ...(takesKey ? [KEY_PARAMETER] : [])]
}

/** draft-ietf-httpapi-idempotency-key-header */
const KEY_PARAMETER = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'Names the request, so that it can be repeated when its answer is lost: within a day the same request with the same key is answered as it first was. In double quotes, or without',
  schema: { type: 'string', minLength: 1, maxLength: 512 },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
}

function requestBodyObject(method: string, routes: readonly Described[]): Json {
  const bodies = routes.filter(({ source, passesOn }) => source !== 'nothing' || passesOn)
  const [first] = bodies
  if (method === 'get' || !first) return {}
  const type = first.source === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const schemas = bodies
    .map(fieldsOutsidePath)
    .filter(({ properties }) => Object.keys(properties).length > 0)
  return {
    requestBody: {
      required: routes.every(({ source }) => source !== 'fields'),
      content: { [type]: { schema: anyOf(schemas) } },
    },
  }
}

/** The fields of a route that are not in its path. */
function fieldsOutsidePath({ path, source, input, passesOn }: Described) {
  const schema = source === 'nothing' ? (passesOn ?? z.object({})) : input
  const { properties, required } = ObjectSchema.parse(toJsonSchema(schema, 'input'))
  const isFree = (name: string) => !path.includes(`:${name}`)
  const free = Object.entries(properties).filter(([name]) => isFree(name))
  return { type: 'object', properties: Object.fromEntries(free), required: required.filter(isFree) }
}

const ObjectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
})
