import { z } from 'zod'
import { requireValue } from '../../require-value.ts'
import { IDEMPOTENCY_KEY } from '../idempotency-key.ts'
import { noFields } from '../source.ts'
import type { Examples } from './examples-form.ts'
import type { GroupedOperation } from './group-operations.ts'
import { anyOf, type Json, toJsonSchema } from './json-schema.ts'
import { type RouteDescription, withExamples } from './responses.ts'

/** Describes the parameters of an operation, with their examples. */
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
    'If a response is lost, send the request again with the same key within a day to get the same response. With or without double quotes',
  schema: { type: 'string', minLength: 1, maxLength: 512 },
  example: '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
}

/** Describes the body of an operation, with its examples; returns `{}` for an operation without a body. */
export function requestBodyObject(
  { method, routes }: GroupedOperation,
  { request }: Examples,
): Json {
  const bodies = routes.filter(({ source, passesOn }) => source !== noFields || passesOn)
  const [first] = bodies
  if (method === 'get' || !first) return {}
  const type = first.source.mediaType ?? 'application/json'
  const schemas = bodies
    .flatMap(formsOutsidePath)
    .filter(({ properties }) => Object.keys(properties).length > 0)
  return {
    requestBody: {
      required: routes.every(({ source }) => !source.isBodyOptional),
      content: { [type]: { schema: anyOf(schemas), ...withExamples(request) } },
    },
  }
}

/** Returns the fields of a route that are not in its path, for each form that its input may have. */
function formsOutsidePath({ path, source, input, passesOn }: RouteDescription) {
  const schema = source === noFields ? (passesOn ?? z.object({})) : input
  const isOutside = (name: string) => !path.includes(`:${name}`)
  const { oneOf, ...only } = FormsSchema.parse(toJsonSchema(schema, 'input'))
  return (oneOf ?? [only]).map(({ properties, required }) => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isOutside(name))),
    required: required.filter(isOutside),
  }))
}

/** Returns the fields of a route with a single form. */
function fieldsOutsidePath(route: RouteDescription) {
  const [form] = formsOutsidePath(route)
  return requireValue(form, 'the form of the input')
}

const ObjectSchema = z.object({
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
})

const FormsSchema = ObjectSchema.extend({ oneOf: z.array(ObjectSchema).optional() })
