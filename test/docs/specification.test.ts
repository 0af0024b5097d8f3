import { readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { Environment, SignInEnvironment } from '../../lib/runtime/config.ts'
import { defaultsOfCode, errorCodes } from '../../lib/runtime/errors.ts'
import { routes } from '../../webhooks/app.ts'
import { internalDocument, openApiDocument } from '../../webhooks/openapi/document.ts'
import { type TableRow, tablesBySection } from '../support/markdown-tables.ts'
import {
  authorizeUrl,
  CALLBACK,
  postForm,
  registerClient,
  type TestClient,
} from '../support/oidc/register-client.ts'
import { test } from '../support/oidc/sign-in-test.ts'
import { ISSUER, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../support/oidc/visitor.ts'

const tables = tablesBySection(readFileSync('docs/specification.md', 'utf8'))

/** Returns a table of a section, the first by default. */
function table(section: string, index = 0): TableRow[] {
  const table = tables.get(section)?.[index]
  if (!table) throw new Error(`Section ${section} has no such table.`)
  return table
}

describe('the specification matches the developer API', () => {
  const paths = z.record(z.string(), z.record(z.string(), z.unknown())).parse({
    ...Object(openApiDocument(routes, { baseUrl: 'http://localhost' }).paths),
    ...Object(internalDocument(routes, { baseUrl: 'http://localhost' }).paths),
  })

  test('section 4.1 lists every route with its methods and audience', () => {
    const servedRoutes = routes.map(({ methods, path, audience }) => ({
      Method: methods.map((method) => method.toUpperCase()).join(', '),
      Path: path.replaceAll(/\{?\/:(\w+)\}?/g, '/{$1}'),
      Who: audience.who,
    }))
    const routeRows = [...Map.groupBy(servedRoutes, ({ Path }) => Path).values()].map((same) => ({
      ...same[0],
      Method: same.map(({ Method }) => Method).join(', '),
    }))
    expect(table('4.1').map(({ Method, Path, Who }) => ({ Method, Path, Who }))).toEqual(
      expect.arrayContaining(routeRows),
    )
    expect(table('4.1')).toHaveLength(routeRows.length)
  })

  test.each([
    ['2.1', 0, 'post', '/api/v2/verify/{app_id}', 0],
    ['2.3', 0, 'post', '/api/v1/verify', 0],
    ['2.16', 0, 'post', '/api/v4/verify/{app_id}', 0],
    ['2.17', 0, 'post', '/api/v4/proof-context/{id}', 0],
    ['2.19', 0, 'post', '/api/v4/verify/{app_id}', 1],
  ])(
    'section %s, table %i, has the fields of the body of %s %s',
    (section, index, method, path, form) => {
      const body = bodyOf(paths[path]?.[method], form)
      expect(
        table(section, index)
          .map(({ Field }) => Field)
          .sort(),
      ).toEqual([...fieldsOf(body).keys()].sort())
      const required = table(section, index).filter((row) => row.Required === 'yes')
      expect(required.map(({ Field }) => Field).sort()).toEqual(requiredOf(body).sort())
    },
  )

  test.each([
    ['2.2', 0, 'post', '/api/v2/verify/{app_id}', '200', 0],
    ['2.3', 1, 'post', '/api/v1/verify', '200', 0],
    ['2.4', 0, 'get', '/api/v1/precheck/{id}', '200', 0],
    ['2.5', 0, 'get', '/api/v1/precheck/{id}', '200', 1],
    ['2.6', 0, 'get', '/api/v1/jwks', '200', 0],
    ['2.7', 0, 'post', '/api/_jwk-gen', '201', 0],
    ['2.13', 0, 'get', '/api/v2/minikit/transaction/{transaction_id}', '200', 0],
    ['2.14', 0, 'get', '/public/v1/miniapps/prices', '200', 0],
    ['2.16', 1, 'post', '/api/v4/verify/{app_id}', '200', 0],
    ['2.17', 1, 'post', '/api/v4/proof-context/{id}', '200', 0],
    ['2.19', 1, 'post', '/api/v4/verify/{app_id}', '200', 1],
    ['2.20', 0, 'post', '/api/v4/verify/{app_id}', '200', 2],
    ['2.18', 0, 'get', '/api/v4/rp-status/{rp_id}', '200', 0],
  ])('section %s, table %i, has the fields of a response of %s %s', (...where) => {
    const [section, index, method, path, status, form] = where
    const responseFields = fieldsOf(answerOf(paths[path]?.[method], status, form))
    expect(typed(table(section, index))).toEqual(Object.fromEntries(responseFields))
  })

  test('section 2.15 has the fields of an error', () => {
    const refusal = answerOf(paths['/api/v1/login']?.post, '400', 0)
    expect(
      table('2.15')
        .map(({ Field }) => Field)
        .sort(),
    ).toEqual([...fieldsOf(refusal).keys()].sort())
  })
})

test('section 7 lists every error code with its usual status', () => {
  const tableRows = table('7').map(({ Code, Status }) => [Code, Number(Status)])
  expect(tableRows).toEqual(errorCodes().map((code) => [code, defaultsOfCode(code).status]))
})

test('section 8 lists every rate limit with its default', () => {
  const shapes = { ...Environment.shape, ...SignInEnvironment.shape }
  const defaults = Object.entries(shapes).flatMap(([name, schema]) => {
    if (!name.startsWith('RATE_LIMIT_')) return []
    const { limit, windowMs } = Rate.parse(schema.parse(undefined))
    return [[name, `${limit} in ${(windowMs / 1_000).toLocaleString('en')} seconds`]]
  })
  const tableRows = table('8', 1).map((row) => [row.Variable, row['At most']])
  expect(Object.fromEntries(tableRows)).toEqual(Object.fromEntries(defaults))
})

const Rate = z.object({ limit: z.number(), windowMs: z.number() })

describe('the specification matches the sign-in server', () => {
  let server: TestSignIn
  let client: TestClient
  test.beforeAll(async ({ signIn }) => {
    server = signIn
    client = await registerClient(server.url)
  })

  test.each(table('4.3').map(({ Method = '', Path = '' }) => [Path, Method]))(
    'section 4.3 has the methods of %s: %s',
    async (path, methods) => {
      const response = await fetchVia(server.url)(`${ISSUER}${path}`, { method: 'DELETE' })
      expect(response.status).toBe(405)
      const allowedMethods = (response.headers.get('allow') ?? '').split(', ')
      const routeMethods = allowedMethods.filter((method) => !['HEAD', 'OPTIONS'].includes(method))
      expect(routeMethods.sort()).toEqual(methods.split(', ').sort())
    },
  )

  test('section 4.3 has every endpoint of the discovery document', async () => {
    const response = await fetchVia(server.url)(`${ISSUER}/.well-known/openid-configuration`)
    const discoveryDocument = z.record(z.string(), z.unknown()).parse(await response.json())
    const addresses = Object.entries(discoveryDocument).filter(([name]) =>
      /_endpoint$|_uri$/.test(name),
    )
    const tableRows = table('4.3').map(({ Path }) => `${ISSUER}${Path}`)
    for (const [, address] of addresses) expect(tableRows).toContain(address)
    expect(addresses.length).toBeGreaterThan(4)
  })

  test('section 4.3 has every member of the discovery document', async () => {
    const response = await fetchVia(server.url)(`${ISSUER}/.well-known/openid-configuration`)
    const rows = table('4.3', 1).map(({ Member = '', Value = '' }) => [Member, Value])
    const discoveryDocument = z.record(z.string(), z.unknown()).parse(await response.json())
    const discoveryMembers = Object.entries(discoveryDocument).map(([name, value]) => [
      name,
      [value].flat().join(', ').replaceAll(ISSUER, '{auth_url}'),
    ])
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(discoveryMembers))
  })

  test('section 2.9 has the fields of a registration response', async () => {
    const response = await fetchVia(server.url)(`${ISSUER}/register`, {
      method: 'POST',
      body: JSON.stringify({ redirect_uris: [CALLBACK] }),
    })
    expect(typed(table('2.9'))).toEqual(typesOf(await response.json()))
  })

  test('sections 2.10, 2.11 and 2.12 have the fields of the responses of a sign-in', async () => {
    const back = await new Visitor(server.url).signIn(authorizeUrl(client))
    const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const basic = { authorization: client.basic }
    const form = { grant_type: 'authorization_code', code }
    const { body: tokens } = await postForm(server.url, '/token', form, basic)
    expect(typed(table('2.10'))).toEqual(typesOf(tokens))
    const token = { token: String(tokens.access_token) }
    const { body: introspected } = await postForm(server.url, '/introspect', token, basic)
    expect(typed(table('2.11'))).toEqual(typesOf(introspected))
    const claims = await fetchVia(server.url)(`${ISSUER}/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    expect(typed(table('2.12'))).toEqual(typesOf(await claims.json()))
  })
})

/** Reads the types of a table by field; `<…>` is any name. */
function typed(rows: readonly TableRow[]): Record<string, string> {
  return Object.fromEntries(rows.map(({ Field = '', Type = '' }) => [anyNames(Field), Type]))
}

function anyNames(field: string): string {
  return field.replaceAll('<auth_url>', ISSUER).replaceAll(/<\w+>/g, '*')
}

/** Returns the types of a response's fields; fields of nested objects have their path. */
function typesOf(value: unknown, path = ''): Record<string, string> {
  const entries = Object.entries(z.record(z.string(), z.unknown()).parse(value))
  return Object.fromEntries(
    entries.flatMap(([name, member]) => {
      if (Array.isArray(member)) return [[path + name, 'array']]
      if (typeof member === 'object') return Object.entries(typesOf(member, `${path}${name}.`))
      return [[path + name, typeof member === 'number' ? 'integer' : typeof member]]
    }),
  )
}

type Schema = {
  type?: string | string[] | undefined
  properties?: Record<string, Schema> | undefined
  required?: string[] | undefined
  items?: Schema | undefined
  additionalProperties?: Schema | boolean | undefined
  anyOf?: Schema[] | undefined
}

const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
    items: Schema.optional(),
    additionalProperties: z.union([z.boolean(), Schema]).optional(),
    anyOf: z.array(Schema).optional(),
  }),
)
const Content = z.object({ content: z.record(z.string(), z.object({ schema: Schema })) })
const Operation = z.object({
  requestBody: Content.optional(),
  responses: z.record(z.string(), z.unknown()),
})

function schemaOf(content: unknown): Schema {
  const [json] = Object.values(Content.parse(content).content)
  if (!json) throw new Error('There is no content.')
  return json.schema
}

/** Returns the schema of a body. If the body has several schemas, `form` selects one. */
function bodyOf(operation: unknown, form: number): Schema {
  const schema = schemaOf(Operation.parse(operation).requestBody)
  return schema.anyOf?.[form] ?? schema
}

/** Returns the schema of a response. If the response has several schemas, `form` selects one. */
function answerOf(operation: unknown, status: string, form: number): Schema {
  const schema = schemaOf(Operation.parse(operation).responses[status])
  return schema.anyOf?.[form] ?? schema
}

function requiredOf({ required = [], properties = {} }: Schema, path = ''): string[] {
  return required.flatMap((name) => {
    const entry = properties[name]?.items
    if (entry?.required) return requiredOf(entry, `${path}${name}[].`)
    return [entry ? `${path}${name}[]` : path + name]
  })
}

/** Returns the types of a field, such as `string or null`. */
function typeText({ type, anyOf = [] }: Schema): string {
  return [type ?? anyOf.map((member) => member.type)].flat(2).join(' or ')
}

/** Returns the type of each field by its path, such as `action.name`, `keys[].kid` or `prices.*.amount`. */
function fieldsOf(schema: Schema, path = ''): Map<string, string> {
  const { properties = {}, items, additionalProperties: extraProperties } = schema
  if (items) return fieldsOf(items, `${path}[].`)
  const members = Object.entries(properties)
  if (typeof extraProperties === 'object') members.push(['*', extraProperties])
  if (members.length === 0) return new Map([[path.replace(/\.$/, ''), typeText(schema)]])
  return new Map(
    members.flatMap(([name, member]) => [
      ...fieldsOf(member, member.items ? `${path}${name}` : `${path}${name}.`),
    ]),
  )
}
