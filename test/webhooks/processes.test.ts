import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, expect, onTestFinished, vi } from 'vitest'
import { requireValue } from '../../lib/runtime/require-value.ts'
import { freePort } from '../../local/process/free-port.ts'
import { readChildProcessIds } from '../../trials/bench/load/process-cost.ts'
import { insertSigningKey } from '../support/operations/insert-signing-key.ts'
import { START_CACHE } from '../support/start-cache.ts'
import { SIGNING_KEY_SECRET } from '../support/webhooks/platform-environment.ts'
import { test } from '../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../support/webhooks/start-platform.ts'

// With PROCESSES above 1, several processes act as one service.

let platform: TestPlatform
let service: Service
let port: number

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  port = await freePort()
  service = await startPair(port)
  await vi.waitUntil(() => listeningCount() === 2, { timeout: 100_000 })
})
afterAll(async () => {
  service.primary.kill('SIGKILL')
})

type Service = { primary: ChildProcess; metricsPort: number; output(): string }

/** Starts the developer API in two processes. */
async function startPair(port: number): Promise<Service> {
  const metricsPort = await freePort()
  const primary = spawn(process.execPath, [...START_CACHE, 'webhooks/server.ts'], {
    env: {
      PATH: process.env.PATH,
      ...platform.env,
      WEBHOOKS_HOST: '127.0.0.1',
      WEBHOOKS_PORT: String(port),
      METRICS_PORT: String(metricsPort),
      PROCESSES: '2',
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: string[] = []
  for (const stream of [primary.stdout, primary.stderr])
    stream.on('data', (text) => chunks.push(String(text)))
  return { primary, metricsPort, output: () => chunks.join('') }
}

/** Counts how often a process has logged that it listens at the port. */
function listeningCount(): number {
  return service.output().split(`"port":${port}`).length - 1
}

/** Returns the ids of the processes that answer requests. */
function serviceProcessIds(): number[] {
  return readChildProcessIds(requireValue(service.primary.pid, 'the id of a process that runs'))
}

/** Sends a request on a new connection, which either process may get. */
async function ask(): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/jwks`, {
    headers: { connection: 'close' },
  })
  await response.arrayBuffer()
  return response.status
}

const metrics = () => fetch(`http://127.0.0.1:${service.metricsPort}/metrics`)

test('two processes answer at one port, and one metrics page adds up their requests', async () => {
  for (let i = 0; i < 20; i++) expect(await ask()).toBe(200)
  const text = await (await metrics()).text()
  expect(text).toMatch(/^http_request_seconds_count\{.*jwks.*\} 20$/m)
  expect(text).toMatch(/^process_resident_memory_bytes\{personhood_service="webhooks"\} \d+$/m)
  expect(serviceProcessIds()).toHaveLength(2)
})

test('a gauge of the database has the same value for two processes as for one', async () => {
  await insertSigningKey(platform.db, SIGNING_KEY_SECRET, { ageHours: 0, days: 10 })
  const text = await (await metrics()).text()
  const [, seconds] =
    /^signing_key_expires_seconds\{use="verification"\} ([\d.]+)$/m.exec(text) ?? []
  expect(Number(seconds) / 86_400).toBeCloseTo(10, 1)
})

test('the metrics get 503 while one of two processes hangs, and neither process ends', async () => {
  const [hanging = 0] = serviceProcessIds()
  process.kill(hanging, 'SIGSTOP')
  expect((await metrics()).status).toBe(503)
  process.kill(hanging, 'SIGCONT')
  expect((await metrics()).status).toBe(200)
  expect(await ask()).toBe(200)
})

test('a killed process is replaced, and the other process answers until then', async () => {
  const [victim = 0, other = 0] = serviceProcessIds()
  process.kill(victim, 'SIGKILL')
  await expect.poll(() => isRunning(victim)).toBe(false)
  for (let i = 0; i < 5; i++) expect(await ask()).toBe(200)
  await expect.poll(() => serviceProcessIds().filter((pid) => pid !== victim)).toHaveLength(2)
  expect(serviceProcessIds()).toContain(other)
  await expect.poll(listeningCount).toBe(3)
})

test('a SIGTERM to the primary ends both processes, and the primary exits with 0', async () => {
  const processIds = serviceProcessIds()
  expect(processIds).toHaveLength(2)
  service.primary.kill('SIGTERM')
  expect(await once(service.primary, 'exit')).toEqual([0, null])
  expect(processIds.filter(isRunning)).toEqual([])
})

test('the service exits with 1 if the port is taken', async () => {
  const occupant = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void occupant.close())
  await once(occupant, 'listening')
  const address = occupant.address()
  const { primary, output } = await startPair(
    typeof address === 'object' ? (address?.port ?? 0) : 0,
  )
  onTestFinished(() => void primary.kill('SIGKILL'))
  expect(await once(primary, 'exit')).toEqual([1, null])
  expect(output()).toContain('EADDRINUSE')
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
