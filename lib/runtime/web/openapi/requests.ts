import { z } from 'zod'
import { IDEMPOTENCY_KEY } from '../idempotency-key.ts'
import { nothing } from '../source.ts'
import type { Examples } from './examples-form.ts'
import type { GroupedOperation } from './group-operations.ts'
import { anyOf, type Json, toJsonSchema } from './json-schema.ts'
import { type Described, withExamples } from './responses.ts'

/** The parameters of an operation, each with the example that it has. */
export function parameterObjects(
  { method, path, routes }: GroupedOperation,
  { parameters: examples = {} }: Examples,
): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    ...(name in examples && { example: examples[name] }),
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
          ...(name in examples && { example: examples[name] }),
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

/** The body that an operation takes, with its examples; nothing if it takes none. */
export function requestBodyObject(
  { method, routes }: GroupedOperation,
  { request }: Examples,
): Json {
  const bodies = routes.filter(({ source, passesOn }) => source !== nothing || passesOn)
  const [first] = bodies
  if (method === 'get' || !first) return {}
  const type = first.source.mediaType ?? 'application/json'
  const schemas = bodies
    .map(fieldsOutsidePath)
    .filter(({ properties }) => Object.keys(properties).length > 0)
  return {
    requestBody: {
      required: routes.every(({ source }) => !source.isBodyOptional),
      content: { [type]: { schema: anyOf(schemas), ...withExamples(request) } },
    },
  }
}

/** The fields of a route that are not in its path. */
function fieldsOutsidePath({ path, source, input, passesOn }: Described) {
  const schema = source === nothing ? (passesOn ?? z.object({})) : input
  const { properties, required } = ObjectSchema.parse(toJsonSchema(schema, 'input'))
  const isFree = (name: string) => !path.includes(`:${name}`)
  const free = Object.entries(properties).filter(([name]) => isFree(name))
  return { type: 'object', properties: Object.fromEntries(free), required: required.filter(isFree) }
}

const ObjectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
})
