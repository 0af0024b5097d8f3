import { z } from 'zod'
import { anyOf, type Json, toJsonSchema } from './json-schema.ts'
import { type Described, responsesOf } from './responses.ts'

/** An operation of the document; routes that only the form of an id tells apart share one. */
type Operation = { method: string; path: string; routes: readonly Described[] }

/**
 * The developer API as OpenAPI 3.1, made from the table of routes: its schemas are those that parse
 * requests and type answers.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function describe(routes: readonly Described[], addresses: Addresses): Json {
  const paths: Record<string, Json> = {}
  for (const operation of operationsOf(routes)) {
    const item = paths[operation.path] ?? {}
    paths[operation.path] = { ...item, [operation.method]: describeOperation(operation, addresses) }
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
    components: { securitySchemes: CREDENTIALS, headers: HEADERS },
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

const CREDENTIALS = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: "A team's API key, or the token that login and signup return",
  },
  hasura: { type: 'http', scheme: 'bearer', description: 'The secret shared with Hasura' },
}

const HEADERS = {
  'x-request-id': { description: "The request's id in the logs", schema: { type: 'string' } },
  'www-authenticate': {
    description: 'The credentials that are required',
    schema: { type: 'string' },
  },
  'retry-after': {
    description: 'Seconds to wait before trying again',
    schema: { type: 'integer' },
  },
}

/** Every operation, in the order of the table. */
function operationsOf(routes: readonly Described[]): Operation[] {
  const found = new Map<string, Operation>()
  for (const route of routes)
    for (const method of route.methods) {
      const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
      const shape = `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`
      // The later route takes what is not meant for the earlier, so its name for the id fits both.
      found.set(shape, { method, path, routes: [...(found.get(shape)?.routes ?? []), route] })
    }
  return [...found.values()]
}

function describeOperation({ method, path, routes }: Operation, { pricesUrl }: Addresses): Json {
  const security = routes.flatMap(securityOf)
  const isElsewhere = pricesUrl !== undefined && routes.every(({ tag }) => tag === 'Prices')
  return {
    ...(isElsewhere && { servers: [{ url: pricesUrl }] }),
    operationId: operationIdOf(method, path),
    tags: [...new Set(routes.map(({ tag }) => tag))],
    summary: routes.map(({ summary }) => summary).join('; '),
    ...(routes.some(({ isDeprecated }) => isDeprecated) && { deprecated: true }),
    parameters: parametersOf(method, path, routes),
    ...requestBodyOf(method, routes),
    responses: responsesOf(routes),
    ...(security.length > 0 && { security }),
  }
}

/** Such as `getApiV1Jwks`: the function names of generated clients. */
function operationIdOf(method: string, path: string): string {
  const words = path.split(/\W+/).filter(Boolean)
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function securityOf({ audience, takesCredentials }: Described): Json[] {
  if (audience === 'hasura') return [{ hasura: [] }]
  return takesCredentials ? [{ bearer: [] }] : []
}

function parametersOf(method: string, path: string, routes: readonly Described[]): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = new Map<string, Json>()
  for (const route of routes)
    if (method === 'get')
      for (const [name, schema] of Object.entries(fieldsOf(route).properties))
        inQuery.set(name, {
          name,
          in: 'query',
          required: fieldsOf(route).required.includes(name),
          schema,
        })
  return [...inPath, ...inQuery.values()]
}

function requestBodyOf(method: string, routes: readonly Described[]): Json {
  const bodies = routes.filter(({ source, passesOn }) => source !== 'nothing' || passesOn)
  const [first] = bodies
  if (method === 'get' || !first) return {}
  const type = first.source === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
  const schemas = bodies
    .map(fieldsOf)
    .filter(({ properties }) => Object.keys(properties).length > 0)
  return {
    requestBody: {
      required: routes.every(({ source }) => source !== 'fields'),
      content: { [type]: { schema: anyOf(schemas) } },
    },
  }
}

/** The fields of a route that are not in its path. */
function fieldsOf({ path, source, input, passesOn }: Described) {
  const schema = source === 'nothing' ? (passesOn ?? z.object({})) : input
  const { properties, required } = Fields.parse(toJsonSchema(schema, 'input'))
  const isFree = (name: string) => !path.includes(`:${name}`)
  const free = Object.entries(properties).filter(([name]) => isFree(name))
  return { type: 'object', properties: Object.fromEntries(free), required: required.filter(isFree) }
}

const Fields = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
})
