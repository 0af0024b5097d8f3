import fc from 'fast-check'
import type { z } from 'zod'
import type { Attack } from './attack.ts'
import type { OpenApi, OpenApiOperation } from './openapi.ts'
import { anyText, anything, fittingValue, toJson } from './values.ts'

type Known = Readonly<Record<string, readonly string[]>>

type Target = {
  campaign: string
  document: z.infer<typeof OpenApi>
  /** Values that exist, by the name of the field. */
  known: Known
  /** Credentials of every kind, good and bad. */
  credentials: readonly string[]
}

/** Requests to every operation of a document, each wrong in one of the ways that HTTP permits. */
export function endpointAttacks(target: Target): fc.Arbitrary<Attack> {
  const operations = Object.entries(target.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  return fc.oneof(...operations.map((operation) => attacksOn(operation, target)))
}

type Found = { path: string; method: string; operation: z.infer<typeof OpenApiOperation> }

function attacksOn({ path, method, operation }: Found, target: Target): fc.Arbitrary<Attack> {
  const { document, known, campaign } = target
  const resolve = (ref: string) => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {}
  const given = (place: string) =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name, schema }) => [
          name,
          fc.option(fittingValue(schema ?? { type: 'string' }, { known, resolve, name }), {
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
      path: fc.record(given('path')),
      query: fc.record(given('query')),
      headers: attackHeaders(target.credentials),
      sent: bodiesOf(operation, { known, resolve }),
    })
    .map(({ sent, headers, ...attack }) => ({
      campaign,
      operation: reaches(attack, { method, path }) ? `${method} ${path}` : null,
      method: attack.method,
      path: toPath(path, attack.path) + toQuery(attack.query),
      headers: { 'content-type': sent.type, ...headers },
      body: sent.body,
    }))
}

type Making = Parameters<typeof fittingValue>[1]

/** Bodies that fit the operation, or nearly; and some that are none. */
function bodiesOf({ requestBody }: Found['operation'], making: Making) {
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    fittingValue(schema ?? {}, making).map((value) => ({ type, body: encodeBody(type, value) })),
  )
  const fitting =
    bodies.length > 0 ? fc.oneof(...bodies) : fc.constant({ type: 'application/json', body: '' })
  return fc.oneof({ weight: 6, arbitrary: fitting }, { weight: 1, arbitrary: brokenBodies })
}

/** Whether a request is one to the operation it was made for: with its method, and all of its path. */
function reaches(
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

/** Only the characters that node:http accepts in a header's value. */
function attackHeaders(credentials: readonly string[]): fc.Arbitrary<Record<string, string>> {
  const value = anyText.map((text) =>
    text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2_000),
  )
  const some = fc.record(
    {
      authorization: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...credentials) },
        { weight: 1, arbitrary: value },
      ),
      accept: fc.constantFrom('*/*', 'text/html', 'application/json', ''),
      origin: fc.constantFrom('https://evil.example', 'null', ''),
      cookie: value,
      // Few, so that the same key comes with many requests.
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
  return fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: some })
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

/** A lone surrogate has no valid encoding; it is sent as the bytes that it would have. */
function percentEncode(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed())
  // Paths longer than a header may be are all refused alike.
  return encoded.slice(0, 8_000).replace(/%[0-9A-F]?$/, '')
}
