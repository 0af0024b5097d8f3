import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect } from 'vitest'
import { startBrowser } from '../../support/chromium.ts'
import { document, internal, judge } from '../../support/webhooks/openapi/contract.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform

test.beforeAll(({ platform: shared }) => {
  platform = shared
})

test.each([
  ['/openapi.json', document],
  ['/hasura/openapi.json', internal],
])('%s is a valid OpenAPI 3.1 document', async (_path, described) => {
  const { valid, errors } = await new Validator().validate(structuredClone(described))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
})

const INSIDE = /^\/(api\/_|api\/v1\/session|hasura|readyz|docs\/)/

test('internal endpoints are in a separate OpenAPI document, which pages of other origins cannot read', async () => {
  const paths = Object.keys(Object(document.paths))
  const inside = Object.keys(Object(internal.paths))
  expect(paths.filter((path) => INSIDE.test(path))).toEqual([])
  expect(inside.filter((path) => !INSIDE.test(path))).toEqual([])
  const response = await fetch(`${platform.baseUrl}/hasura/openapi.json`)
  expect(response.headers.get('access-control-allow-origin')).toBeNull()
  expect(await response.json()).toEqual({ ...internal, servers: [{ url: platform.baseUrl }] })
})

test('no error is described as “Success”', () => {
  const operations = Object.values(Object(document.paths)).flatMap((item) =>
    Object.values(Object(item)),
  )
  const described = operations.flatMap((operation) => Object.entries(Object(operation).responses))
  const refusals = described.filter(([status]) => Number(status) >= 400)
  expect(refusals.length).toBeGreaterThan(100)
  for (const [, refusal] of refusals) expect(Object(refusal).description).not.toBe('Success')
})

test('the description of every 401 has the www-authenticate header', () => {
  const items = [document, internal].flatMap(({ paths }) => Object.values(Object(paths)))
  const operations = items.flatMap((item) => Object.values(Object(item)))
  const refusals = operations.flatMap((operation) => Object(operation).responses['401'] ?? [])
  expect(refusals).toHaveLength(9)
  for (const { headers } of refusals)
    expect(Object.keys(headers)).toEqual(['x-request-id', 'www-authenticate'])
})

test.each(['/api/v2/verify/{app_id}', '/api/v1/verify', '/v1/graphql'])(
  'a request to %s may have an idempotency key',
  (path) => {
    const { parameters, responses } = Object(Object(document.paths)[path]).post
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'idempotency-key', in: 'header', required: false }),
    )
    expect(Object.keys(responses['200'].headers)).toContain('idempotent-replayed')
    expect(responses['422'].description).toContain('idempotency_key_reused')
  },
)

test('the OpenAPI document is served to pages of any origin, with the public address of the platform', async () => {
  const response = await fetch(`${platform.baseUrl}/openapi.json`)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toEqual({ ...document, servers: [{ url: platform.baseUrl }] })
})

test('the documentation at /docs loads nothing from another origin', async () => {
  const browser = await startBrowser()
  const page = await browser.newPage({ colorScheme: 'dark', viewport: { width: 400, height: 800 } })
  const complaints: string[] = []
  const origins = new Set<string>()
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  const answer = await page.goto(`${platform.baseUrl}/docs`)
  await page.getByText('Verify a proof, and count the person', { exact: true }).click()
  await page.getByText('max_verifications_reached').first().waitFor()
  const paper = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
  const colours = paper.match(/\d+/g)?.map(Number) ?? []
  expect(colours).toHaveLength(3)
  // The page is dark, because the browser prefers the dark scheme.
  expect(Math.max(...colours)).toBeLessThan(64)
  expect(answer?.headers()['content-security-policy']).not.toMatch(/unsafe/)
  expect(complaints).toEqual([])
  expect([...origins].filter((origin) => origin !== 'null')).toEqual([platform.baseUrl])
  await browser.close()
})

describe('an undocumented response is found', () => {
  const json = { 'content-type': 'application/json', 'x-request-id': '1' }
  const headers = new Headers({ ...json, 'cache-control': 'no-store' })
  const errorBody = { code: 'required', detail: '', attribute: null }
  const login = { method: 'POST', path: '/api/v1/login', status: 400, headers }

  test.each([
    ['status', { status: 418 }, errorBody],
    ['code', {}, { ...errorBody, code: 'not_found' }],
    ['field', {}, { ...errorBody, stack: '' }],
    ['body', { status: 200 }, { token: 1 }],
    [
      'content type',
      { headers: new Headers({ 'content-type': 'text/html', 'x-request-id': '1' }) },
      {},
    ],
    ['response without a request id', { headers: new Headers() }, errorBody],
    ['error without cache-control', { headers: new Headers(json) }, errorBody],
    ['method', { method: 'PUT' }, errorBody],
    ['path', { path: '/api/v1/logout' }, errorBody],
  ])('a response with an undocumented %s is found', (_name, change, body) => {
    expect(judge({ ...login, ...change, body: JSON.stringify(body) })).toHaveProperty('fault')
    expect(judge({ ...login, body: JSON.stringify(errorBody) })).toHaveProperty('name')
  })
})
