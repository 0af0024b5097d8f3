import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { load } from 'js-yaml'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { freePort } from '../../local/process/free-port.ts'
import { startEngine } from '../../packages/engine/test/support/start-engine.ts'
import { insertSigningKey } from '../support/operations/insert-signing-key.ts'
import {
  expressionsIn,
  labelsIn,
  labelsOfRow,
  metricsIn,
} from '../support/operations/prometheus.ts'
import { START_CACHE } from '../support/start-cache.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'
import { engineEnvironment, SIGNING_KEY_SECRET } from '../support/webhooks/platform-environment.ts'
import { post, startPlatformOn, type TestPlatform } from '../support/webhooks/start-platform.ts'

const Value = z.object({
  stringValue: z.string().optional(),
  intValue: z.coerce.number().optional(),
})
const Attributes = z.array(z.object({ key: z.string(), value: Value }))
const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: Attributes,
})
const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
})

type ServiceSpan = z.infer<typeof Span> & { service: string }

let platform: TestPlatform
let engine: Awaited<ReturnType<typeof startEngine>>
let service: ChildProcess
let url: string
let metricsUrl: string
let app: string
const spans: ServiceSpan[] = []
const collector = createServer(async (request, response) => {
  for (const { resource, scopeSpans } of Traces.parse(JSON.parse(await text(request)))
    .resourceSpans) {
    const name = attribute(resource.attributes, 'service.name')
    spans.push(
      ...scopeSpans.flatMap((s) => s.spans.map((span) => ({ ...span, service: String(name) }))),
    )
  }
  response.end('{}')
})

beforeAll(async () => {
  platform = await startPlatformOn(startEngine)
  const [port, metricsPort, collectorPort] = [await freePort(), await freePort(), await freePort()]
  await once(collector.listen(collectorPort, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${port}`
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  const tracing = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collectorPort}`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  }
  engine = await startEngine(platform.db.as('hasura'), { ...engineEnvironment(url), ...tracing })
  service = spawn(process.execPath, [...START_CACHE, 'webhooks/server.ts'], {
    env: {
      ...platform.env,
      ...tracing,
      PATH: process.env.PATH,
      HASURA_GRAPHQL_ENDPOINT: engine.url,
      WEBHOOKS_HOST: '127.0.0.1',
      WEBHOOKS_PORT: String(port),
      METRICS_PORT: String(metricsPort),
      BASE_URL: url,
    },
    stdio: 'ignore',
  })
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 60_000)
  app = await platform.app({ team: await platform.team() })
  await platform.action(app)
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: 77n })
})
afterAll(async () => {
  const exit = once(service, 'exit')
  service.kill('SIGTERM')
  await exit
  await engine.stop()
  collector.closeAllConnections()
  collector.close()
  await platform.stop()
})

describe('the metrics count and time the work of the services', () => {
  test('verifications are counted by their result', async () => {
    const before = await metrics()
    const body = await forgeRequest({ app, action: 'vote', root: 77n, nullifier: 1n })
    await verify(body)
    await verify(body)
    await verify({ ...body, nullifier_hash: `0x${'2'.padStart(64, '0')}` })
    await verify({})
    await vi.waitFor(async () => {
      const after = await metrics()
      const increase = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
      for (const result of [
        'success',
        'max_verifications_reached',
        'invalid_proof',
        'validation_error',
      ])
        expect([result, increase(`verifications_total{result="${result}"}`)]).toEqual([result, 1])
    }, 30_000)
  })

  test('each request and each call to Hasura is timed, by route and by operation', async () => {
    const before = await metrics()
    await verify(await forgeRequest({ app, action: 'vote', root: 77n, nullifier: 3n }))
    await fetch(`${url}/nowhere/${'x'.repeat(100)}`)
    await vi.waitFor(async () => {
      const after = await metrics()
      const increase = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
      const route = [...after.keys()].find((name) => /_count.*verify.*status="200"/.test(name))
      expect(increase(String(route))).toBe(1)
      expect(increase('http_request_seconds_count{method="GET",route="none",status="404"}')).toBe(1)
      expect(increase('graphql_request_seconds_count{operation="Verify",outcome="ok"}')).toBe(1)
      expect(increase('proof_seconds_count')).toBe(1)
      expect(increase('root_lookups_total{answer="memory"}')).toBe(1)
    }, 30_000)
  })

  test('outbox_oldest_seconds is the age of the oldest message in the outbox', async () => {
    expect((await metrics()).get('outbox_oldest_seconds')).toBe(0)
    await platform.db.query(
      `with person as (insert into "user" (email, password_hash, name) values ('a@example.com', 'x', 'A') returning id)
       insert into mail (user_id, kind, created_at) select id, 'verify_email', now() - interval '1 hour' from person`,
    )
    const age = (await metrics()).get('outbox_oldest_seconds')
    expect(age).toBeGreaterThanOrEqual(3_600)
    expect(age).toBeLessThan(3_700)
  })

  test('the metrics have the age of the prices and of the oldest pending transaction', async () => {
    const before = await metrics()
    expect(before.get('prices_age_seconds')).toBeNaN()
    expect(before.get('transactions_pending')).toBe(0)
    await platform.db.query(
      `insert into price (crypto, fiat, amount, decimals, source, observed_at)
       values ('USDCE', 'USD', '1000000', 6, 'test', now() - interval '2 minutes')`,
    )
    await platform.db.query(
      `insert into transaction (app_id, type, reference, chain, transaction_hash, created_at)
       values ($1, 'transaction', 'r', 'local', '0x' || repeat('a', 64), now() - interval '1 hour')`,
      [app],
    )
    const after = await metrics()
    expect(after.get('prices_age_seconds')).toBeGreaterThanOrEqual(120)
    expect(after.get('transactions_pending')).toBe(1)
    expect(after.get('transactions_pending_oldest_seconds')).toBeGreaterThanOrEqual(3_600)
  })

  test('signing_key_expires_seconds is the time until the newest key expires, and 0 without a key that can be decrypted', async () => {
    const row = 'signing_key_expires_seconds{use="verification"}'
    expect((await metrics()).get(row)).toBe(0)
    await insertSigningKey(platform.db, SIGNING_KEY_SECRET, { ageHours: 2, days: 700 })
    await insertSigningKey(platform.db, SIGNING_KEY_SECRET, { ageHours: 1, days: 30 })
    expect((await metrics()).get(row)).toBeCloseTo(30 * 86_400, -2)
    await insertSigningKey(platform.db, 'y'.repeat(64), { ageHours: 0, days: 300 })
    expect((await metrics()).get(row)).toBe(0)
    await platform.db.query('delete from jwks')
  })

  test('requests with new methods, ids and actions add no rows to the metrics', async () => {
    const rows = async () => [...(await metrics()).keys()].filter((name) => !isNodeMetric(name))
    const call = async (method: string, index: number) => {
      await fetch(`${url}/${method}`, { method, headers: { 'x-request-id': method } })
      await verify({ action: `a${index}` }, `app_${index}`)
    }
    await call('PROPFIND', 0)
    const hitsRow = 'graphql_request_seconds_count{operation="CountHits",outcome="ok"}'
    await vi.waitFor(async () => expect(await rows()).toContain(hitsRow), 30_000)
    const before = await rows()
    for (const [index, method] of ['MKCOL', 'SUBSCRIBE', 'PURGE', 'LINK'].entries())
      await call(method, index + 1)
    expect(await rows()).toEqual(before)
  })

  test('every metric of Node has the label personhood_service', async () => {
    const rows = [...(await metrics()).keys()].filter(isNodeMetric)
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter((row) => !row.includes('personhood_service="webhooks"'))).toEqual([])
  })

  test('the metrics port answers 404 to everything except GET /metrics', async () => {
    expect((await fetch(new URL('/', metricsUrl))).status).toBe(404)
    expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(404)
  })

  test.each(['ops/grafana-dashboard.json', 'ops/alerts.yml'])(
    'every metric in %s exists',
    async (file) => {
      const exported = new Set([...(await metrics()).keys()].map((name) => name.split('{')[0]))
      const names = expressionsIn(load(readFileSync(file, 'utf8'))).flatMap(metricsIn)
      expect(names.length).toBeGreaterThan(5)
      expect(names.filter((name) => !exported.has(name))).toEqual([])
    },
  )

  test.each(['ops/grafana-dashboard.json', 'ops/alerts.yml'])(
    'every metric in %s has the labels by which it is selected or grouped',
    async (file) => {
      const labels = expressionsIn(load(readFileSync(file, 'utf8'))).flatMap(labelsIn)
      expect(labels.length).toBeGreaterThan(5)
      // A row with labels exists only after its first count.
      await verify(await forgeRequest({ app, action: 'vote', root: 77n, nullifier: 5n }))
      await vi.waitFor(async () => {
        const exported = new Set([...(await metrics()).keys()].flatMap(labelsOfRow))
        expect(labels.filter((label) => !exported.has(label))).toEqual([])
      }, 30_000)
    },
  )
})

test('one trace follows a verification through the developer API and the engine to the database', async () => {
  const traceId = 'a'.repeat(32)
  const body = await forgeRequest({ app, action: 'vote', root: 77n, nullifier: 4n })
  await post(`${url}/api/v2/verify/${app}`, body, {
    traceparent: `00-${traceId}-${'b'.repeat(16)}-01`,
    'x-request-id': 'followed',
  })
  await vi.waitFor(
    () => expect(spansOf(traceId).some(({ service }) => service === 'webhooks')).toBe(true),
    { timeout: 30_000 },
  )
  await vi.waitFor(() => {
    const requestSpan = spansOf(traceId).find((span) => span.parentSpanId === 'b'.repeat(16))
    expect(requestSpan).toMatchObject({
      service: 'webhooks',
      name: expect.stringMatching(/^POST \/api\/v2\/verify/),
    })
    expect(attribute(requestSpan?.attributes, 'request.id')).toBe('followed')
    const calls = childrenOf(requestSpan)
    expect(calls.length).toBeGreaterThanOrEqual(2)
    const engineSpans = calls.flatMap(childrenOf)
    expect(engineSpans.map(({ service }) => service)).toContain('engine')
    expect(engineSpans.flatMap(childrenOf).map(({ name }) => name)).toContain('postgres')
  }, 30_000)
})

test('the export of spans is not traced', () => {
  const port = Object(collector.address()).port
  expect(
    spans.filter(
      ({ attributes }) => attribute(attributes, 'server.address') === `127.0.0.1:${port}`,
    ),
  ).toEqual([])
})

const spansOf = (traceId: string) => spans.filter((span) => span.traceId === traceId)

function childrenOf(parent: ServiceSpan | undefined): ServiceSpan[] {
  return spans.filter(({ parentSpanId }) => parentSpanId && parentSpanId === parent?.spanId)
}

function attribute(attributes: z.infer<typeof Attributes> | undefined, key: string) {
  const value = attributes?.find((a) => a.key === key)?.value
  return value?.stringValue ?? value?.intValue
}

async function verify(body: object, appId = app) {
  return post(`${url}/api/v2/verify/${appId}`, body)
}

/** Reads the metrics; the key of a row is its name with its labels. */
async function metrics(): Promise<Map<string, number>> {
  const lines = (await (await fetch(metricsUrl)).text()).split('\n')
  const rows = lines.filter((line) => line && !line.startsWith('#'))
  return new Map(
    rows.map((row) => {
      const at = row.lastIndexOf(' ')
      return [row.slice(0, at), Number(row.slice(at + 1))]
    }),
  )
}

/** True for a metric of Node. Its rows can grow during a test, since each kind of garbage collection has a row. */
function isNodeMetric(name: string): boolean {
  return /^(nodejs|process)_/.test(name)
}
