import { execFileSync } from 'node:child_process'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { signInDescription } from '../../support/oidc/contract.ts'
import { operationsOf, valuesOf } from '../../support/openapi/examples.ts'
import { START_CACHE } from '../../support/start-cache.ts'
import { document } from '../../support/webhooks/openapi/contract.ts'

const Request = z.object({
  method: z.string(),
  url: z.object({ host: z.array(z.string()), path: z.array(z.string()).default([]) }),
  header: z.array(z.object({ key: z.string(), disabled: z.boolean().optional() })),
  body: z.object({ mode: z.string(), raw: z.string().optional() }).nullish(),
})
type Item = { name: string; request?: unknown; item?: Item[] | undefined }
const Item: z.ZodType<Item> = z.lazy(() =>
  z.object({
    name: z.string(),
    request: z.unknown().optional(),
    item: z.array(Item).optional(),
  }),
)
const Collection = z.object({
  info: z.object({ name: z.string(), schema: z.string() }),
  item: z.array(Item),
  variable: z.array(z.object({ key: z.string(), value: z.string() })),
})

let collection: z.infer<typeof Collection>

beforeAll(() => {
  const output = execFileSync(process.execPath, [...START_CACHE, 'scripts/postman.ts'], {
    encoding: 'utf8',
    env: { DATA_FOLDER: '/nowhere', WEBHOOKS_PORT: '3100' },
  })
  collection = Collection.parse(JSON.parse(output))
})

test('the Postman collection has every operation of both OpenAPI documents', () => {
  expect(collection.info.schema).toContain('/v2.1.0/')
  const described = [
    ...operationsOf(document).map(({ name }) => `{{baseUrl}} ${name}`),
    ...operationsOf(signInDescription('http://localhost:3001')).map(
      ({ name }) => `{{authUrl}} ${name}`,
    ),
  ]
  const requestNames = requestsOf(collection.item).map(
    ({ method, url }) => `${url.host.join('')} ${method} /${url.path.map(asTemplate).join('/')}`,
  )
  expect(requestNames.sort()).toEqual(described.sort())
})

test('the Postman collection has variables for the addresses and the token', () => {
  expect(collection.variable).toEqual([
    { key: 'baseUrl', value: 'http://localhost:3100' },
    { key: 'authUrl', value: 'http://localhost:3001' },
    { key: 'bearerToken', value: '' },
  ])
})

test('the bodies of the Postman collection are the documented examples', () => {
  const bodies = new Map(
    requestsOf(collection.item).map(({ method, url, body }) => [
      `${method} /${url.path.map(asTemplate).join('/')}`,
      body?.raw,
    ]),
  )
  const described = operationsOf(document).filter(
    ({ requestBody }) => requestBody?.content['application/json'],
  )
  expect(described.length).toBeGreaterThan(5)
  for (const { name, requestBody } of described) {
    const examples = valuesOf(requestBody?.content['application/json'] ?? { schema: {} })
    expect(examples.map(([, value]) => value)).toContainEqual(JSON.parse(bodies.get(name) ?? ''))
  }
})

test('every idempotency key of the Postman collection is disabled', () => {
  const keys = requestsOf(collection.item).flatMap(({ header }) =>
    header.filter(({ key }) => key === 'idempotency-key'),
  )
  expect(keys.map(({ disabled }) => disabled)).toEqual([true, true, true, true])
})

function requestsOf(items: readonly Item[]): z.infer<typeof Request>[] {
  return items.flatMap(({ request, item = [] }) =>
    request ? [Request.parse(request)] : requestsOf(item),
  )
}

function asTemplate(part: string): string {
  return part.startsWith(':') ? `{${part.slice(1)}}` : part
}
