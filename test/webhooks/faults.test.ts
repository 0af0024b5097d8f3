import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startAnvil } from '../../local/chain/anvil.ts'
import { deployChain } from '../../local/chain/deploy.ts'
import { publishRoot } from '../../local/chain/publish-root.ts'
import { freePort } from '../../local/process/free-port.ts'
import { type RunningEngine, startEngine } from '../../packages/engine/test/support/start-engine.ts'
import { START_CACHE } from '../support/start-cache.ts'
import { forgeRequest } from '../support/webhooks/forge-request.ts'
import { engineEnvironment } from '../support/webhooks/platform-environment.ts'
import {
  type PlatformOn,
  post,
  startPlatformOn,
  type TestPlatform,
} from '../support/webhooks/start-platform.ts'

let platform: PlatformOn<RunningEngine>
let team: Awaited<ReturnType<TestPlatform['team']>>
let app: string
let people = 0n
let root = 0n

beforeAll(async () => {
  platform = await startPlatformOn(startEngine)
  team = await platform.team()
  app = await platform.app({ team })
  await platform.action(app)
  root = await newRoot()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await platform.stop()
})

const children: ChildProcess[] = []

describe('verifications get 503 while a dependency is down, and recover afterwards', () => {
  test('verifications get 503 while the chain is down, and recover afterwards', async () => {
    root = await newRoot()
    const port = Number(new URL(platform.anvil.rpcUrl).port)
    await platform.anvil.stop()
    await expectAway()
    platform.anvil = await startAnvil({ port })
    await deployChain(platform.anvil.rpcUrl)
    await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root })
    await expectBack()
  })

  test('verifications get 503 while the GraphQL engine is down, and recover afterwards', async () => {
    const port = new URL(platform.engine.url).port
    await platform.engine.stop()
    await expectAway()
    platform.engine = await startEngine(platform.db.as('hasura'), {
      ...engineEnvironment(platform.baseUrl),
      HASURA_GRAPHQL_SERVER_PORT: port,
    })
    await expectBack()
  })

  test('verifications and GraphQL requests get 503 while the database is down, and recover afterwards', async () => {
    const name = new URL(platform.db.url).pathname.slice(1)
    await platform.db.onCluster(`alter database ${name} allow_connections false`)
    await platform.db.onCluster(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name <> 'test'`,
    )
    await expectAway()
    for (const body of [{ query: '{ app { id } }' }, [{ query: '{ app { id } }' }]]) {
      const answer = await platform.post('/v1/graphql', body, {
        authorization: `Bearer ${team.apiKey}`,
      })
      expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await platform.db.onCluster(`alter database ${name} allow_connections true`)
    await expectBack()
  })
})

describe('kill -9 under load loses no acknowledged verification and counts none twice', () => {
  test('kill -9 of the developer API loses no acknowledged verification and counts none twice', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const start = () => startWebhooks({ ...platform.env, WEBHOOKS_PORT: String(port) }, url)
    const first = await start()
    const outcome = await underLoad(url, async () => kill(first))
    const second = await start()
    await expectCounted(url, outcome)
    await kill(second)
  })

  test('kill -9 of the GraphQL engine loses no acknowledged verification and counts none twice', async () => {
    const port = new URL(platform.engine.url).port
    const outcome = await underLoad(platform.baseUrl, async () => {
      await platform.engine.stop('SIGKILL')
    })
    platform.engine = await startEngine(platform.db.as('hasura'), {
      ...engineEnvironment(platform.baseUrl),
      HASURA_GRAPHQL_SERVER_PORT: port,
    })
    await expectBack()
    await expectCounted(platform.baseUrl, outcome)
  })
})

/** Publishes a root that was not requested before, so that nothing about it is cached. */
async function newRoot(): Promise<bigint> {
  const newValue = root + 1n
  await publishRoot({ rpcUrl: platform.anvil.rpcUrl, group: 'staging', root: newValue })
  return newValue
}

function person() {
  people += 1n
  return forgeRequest({ app, action: 'vote', root, nullifier: people })
}

async function verify(url = platform.baseUrl, body?: object) {
  return post(`${url}/api/v2/verify/${app}`, body ?? (await person()))
}

async function expectAway() {
  const reply = await verify()
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable', attribute: null } })
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await fetch(`${platform.baseUrl}/readyz`)).status).toBe(503)
  expect((await fetch(`${platform.baseUrl}/healthz`)).status).toBe(200)
}

async function expectBack() {
  await vi.waitFor(async () => expect(await verify()).toMatchObject({ status: 200 }), {
    timeout: 30_000,
    interval: 50,
  })
}

type Outcome = { body: { nullifier_hash: string }; status: number | 'broken' }

/** Verifies two hundred people at once, and calls `strike` after the first response with 200. */
async function underLoad(url: string, strike: () => Promise<void>): Promise<Outcome[]> {
  const bodies = await Promise.all(Array.from({ length: 200 }, person))
  let strikeRun: Promise<void> | undefined
  const outcomes = await Promise.all(
    bodies.map(async (body): Promise<Outcome> => {
      const status = await verify(url, body).then(
        (reply) => reply.status,
        () => 'broken' as const,
      )
      if (status === 200) strikeRun ??= strike()
      return { body, status }
    }),
  )
  await strikeRun
  return outcomes
}

/** Checks that every person who got 200 is counted once, and that the others can try again. */
async function expectCounted(url: string, outcomes: readonly Outcome[]) {
  const statuses = new Set(outcomes.map(({ status }) => status))
  expect(statuses.has(200)).toBe(true)
  expect(statuses.size).toBeGreaterThan(1)
  const retries = await Promise.all(
    outcomes.map(async ({ body, status }) => ({ before: status, now: await verify(url, body) })),
  )
  for (const { before: firstStatus, now: retry } of retries) {
    if (firstStatus === 200)
      expect(retry).toMatchObject({ status: 400, body: { code: 'max_verifications_reached' } })
    else expect([200, 400]).toContain(retry.status)
  }
  const { rows } = await platform.db.query(
    'select count(*)::int as people, max(uses) as most from nullifier where nullifier_hash = any ($1)',
    [outcomes.map(({ body }) => body.nullifier_hash)],
  )
  expect(rows).toEqual([{ people: outcomes.length, most: 1 }])
}

async function startWebhooks(env: Record<string, string>, url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...START_CACHE, 'webhooks/server.ts'], {
    env: { PATH: process.env.PATH, WEBHOOKS_HOST: '127.0.0.1', LOG_LEVEL: 'silent', ...env },
    stdio: 'ignore',
  })
  children.push(child)
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 50,
  })
  return child
}

async function kill(child: ChildProcess) {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}
