import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import {
  askEngine,
  engineVariables,
  type RunningEngine,
  startEngine,
} from '../../packages/engine/test/support/start-engine.ts'
import { START_CACHE } from '../support/start-cache.ts'
import { ADMIN_SECRET, engineEnvironment } from '../support/webhooks/platform-environment.ts'
import { type PlatformOn, startPlatformOn } from '../support/webhooks/start-platform.ts'

// Starts the programs as an operator does, with /dev/full as the log: each write fails as on a full disk.

let platform: PlatformOn<RunningEngine>
let engine: ChildProcess
let engineUrl: string
let service: ChildProcess
let url: string
let metricsUrl: string

beforeAll(async () => {
  platform = await startPlatformOn(startEngine)
  const [port, metricsPort, enginePort] = [await freePort(), await freePort(), await freePort()]
  url = `http://127.0.0.1:${port}`
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  engineUrl = `http://127.0.0.1:${enginePort}`
  engine = startOnFullDisk('packages/engine/server.ts', {
    ...engineVariables(platform.db.as('hasura'), enginePort, engineEnvironment(url)),
    HASURA_GRAPHQL_LOG_LEVEL: 'debug',
  })
  service = startOnFullDisk('webhooks/server.ts', {
    ...platform.env,
    HASURA_GRAPHQL_ENDPOINT: engineUrl,
    WEBHOOKS_HOST: '127.0.0.1',
    WEBHOOKS_PORT: String(port),
    METRICS_PORT: String(metricsPort),
    BASE_URL: url,
    LOG_LEVEL: 'debug',
  })
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 60_000)
})
afterAll(async () => {
  for (const child of [service, engine]) child.kill('SIGKILL')
  await platform.stop()
})

function startOnFullDisk(program: string, env: Record<string, string | undefined>): ChildProcess {
  const log = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [...START_CACHE, program], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  return child
}

/** Sends rounds of fifty requests; each request writes at least one log line. Returns the statuses. */
async function ask(rounds: number, request: () => Promise<number>): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let round = 0; round < rounds; round++)
    for (const status of await Promise.all(Array.from({ length: 50 }, request)))
      statuses.add(status)
  return statuses
}

async function countLost(): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(/^log_lines_lost_total (\d+)$/m.exec(text)?.[1])
}

test('the developer API answers every request and counts lost log lines while its log disk is full', async () => {
  expect(await countLost()).toBe(0)
  const path = `${url}/${'x'.repeat(2_000)}`
  await vi.waitFor(
    async () => {
      expect(await ask(10, async () => (await fetch(path)).status)).toEqual(new Set([404]))
      expect(await countLost()).toBeGreaterThan(100)
    },
    { timeout: 60_000, interval: 0 },
  )
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  expect(service.exitCode).toBeNull()
})

test('the engine answers every request while its log disk is full', async () => {
  const { post } = askEngine(engineUrl, ADMIN_SECRET)
  const invalidRequest = { query: '{ nothing }' }
  const statuses = await ask(60, async () => (await post('/v1/graphql', invalidRequest)).status)
  expect(statuses).toEqual(new Set([200]))
  expect(engine.exitCode).toBeNull()
})

test('the developer API and the engine exit with 0 on SIGTERM while their log disk is full', async () => {
  for (const child of [service, engine]) {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exit).toEqual([0, null])
  }
})
