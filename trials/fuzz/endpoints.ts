import fc from 'fast-check'
import type { z } from 'zod'
import type { Attack } from './attack.ts'
import type { OpenApi, OpenApiOperation } from './openapi.ts'
import { anyText, anything, createValue, toJson } from './values.ts'

type ExistingValues = Readonly<Record<string, readonly string[]>>

type AttackOptions = {
  campaign: string
  document: z.infer<typeof OpenApi>
  /** Values that exist in the database, by field name. */
  existingValues: ExistingValues
  /** Credentials of every kind, valid and invalid. */
  credentials: readonly string[]
}

/** Creates requests to every operation of a document, with hostile values in any part that HTTP allows. */
export function createEndpointAttacks(target: AttackOptions): fc.Arbitrary<Attack> {
  const operations = Object.entries(target.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return fc.oneof(...operations.map((operation) => createAttacks(operation, target)))
}

type Endpoint = { path: string; method: string; operation: z.infer<typeof OpenApiOperation> }

function createAttacks(
  { path, method, operation }: Endpoint,
  target: AttackOptions,
): fc.Arbitrary<Attack> {
  const { document, existingValues, campaign } = target
  const resolve = (ref: string) => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {}
  const createParameters = (place: string) =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema }) => [
          name,
          fc.option(createValue(schema ?? { type: 'string' }, { existingValues, resolve, name }), {
            freq: 8,
            nil: undefined,
          }),
        ]),
    )
  return fc
    .record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant(method.toUpperCase()) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'),
        },
      ),
      path: fc.record(createParameters('path')),
      query: fc.record(createParameters('query')),
      headers: createHeaders(target.credentials),
      content: createBodies(operation, { existingValues, resolve }),
    })
    .map(({ content, headers, ...attack }) => ({
      campaign,
      operation: reachesOperation(attack, { method, path }) ? `${method} ${path}` : null,
      method: attack.method,
      path: toPath(path, attack.path) + toQuery(attack.query),
      headers: { 'content-type': content.type, ...headers },
      body: content.body,
    }))
}

type ValueContext = Parameters<typeof createValue>[1]

/** Creates bodies that are valid or nearly valid for the operation, and broken bodies. */
function createBodies({ requestBody }: Endpoint['operation'], context: ValueContext) {
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    createValue(schema ?? {}, context).map((value) => ({ type, body: encodeBody(type, value) })),
  )
  const validBodies =
    bodies.length > 0 ? fc.oneof(...bodies) : fc.constant({ type: 'application/json', body: '' })
  return fc.oneof({ weight: 6, arbitrary: validBodies }, { weight: 1, arbitrary: brokenBodies })
}

/** Reports whether a request reaches its operation: it has the operation's method and a complete path. */
function reachesOperation(
  attack: { method: string; path: Record<string, unknown> },
  { method, path }: { method: string; path: string },
): boolean {
  const isWhole = Object.values(attack.path).every((value) => /^[\w-]+$/.test(fieldText(value)))
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  return (
    attack.method === method.toUpperCase() &&
    isWhole &&
    names.every((name) => attack.path[name] !== undefined)
  )
}

const brokenBodies = fc.oneof(
  anything.map((value) => ({ type: 'application/json', body: toJson(value) })),
  anyText.map((body) => ({ type: 'application/x-www-form-urlencoded', body })),
  fc
    .uint8Array({ maxLength: 300 })
    .map((bytes) => ({ type: 'application/json', body: Buffer.from(bytes) })),
  fc
    .tuple(
      fc.constantFrom(
        'application/json; charset=utf-16',
        'text/plain',
        'multipart/form-data',
        '*/*',
      ),
      anyText,
    )
    .map(([type, body]) => ({ type, body })),
  fc
    .constantFrom(
      '{"a":',
      '[[[',
      '"',
      '{"__proto__":{"x":1}}',
      '{"constructor":{"prototype":{"x":1}}}',
    )
    .map((body) => ({ type: 'application/json', body })),
)

function encodeBody(type: string, value: unknown): string {
  if (!type.includes('x-www-form-urlencoded')) return toJson(value)
  return Object.entries(Object(value))
    .map(([name, field]) => `${encodeURIComponent(name)}=${percentEncode(fieldText(field))}`)
    .join('&')
}

/** Creates headers. Their values have only characters that node:http accepts. */
function createHeaders(credentials: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const value = anyText.map((text) =>
    text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2_000),
  )
  const headers = fc.record(
    {
      authorization: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...credentials) },
        { weight: 1, arbitrary: value },
      ),
      accept: fc.constantFrom('*/*', 'text/html', 'application/json', ''),
      origin: fc.constantFrom('https://evil.example', 'null', ''),
      cookie: value,
      // Only a few keys, so that many requests share one.
      'idempotency-key': fc.oneof(fc.constantFrom('a', '"b"', '"c"'), value),
      'x-request-id': value,
      'x-forwarded-for': value,
      'x-forwarded-host': value,
      'x-hasura-role': fc.constantFrom('admin', 'service', 'reviewer'),
      'x-hasura-admin-secret': value,
      'content-encoding': fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'x'),
      traceparent: value,
    },
    { requiredKeys: [] },
  )
  return fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: headers })
}

function toPath(template: string, values: Record<string, unknown>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    return value === undefined ? '' : percentEncode(fieldText(value))
  })
}

function toQuery(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined)
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${name}=${percentEncode(fieldText(value))}`).join('&')}`
}

function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : toJson(value)
}

/** Encodes a text for a URL. Lone surrogates, which cannot be encoded, become U+FFFD. */
function percentEncode(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  // The server rejects all longer paths in the same way.
  return encoded.slice(0, 8_000).replace(/%[0-9A-F]?$/, '')
}
