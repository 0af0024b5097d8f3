import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { childProcessIds } from '../../bench/load/process-cost.ts'
import { present } from '../../lib/present.ts'
import { freePort } from '../../platform/processes/free-ports.ts'
import { START_CACHE } from '../support/start-cache.ts'
import { startTestPlatform, type TestPlatform } from '../support/webhooks/start-platform.ts'

// A service with PROCESSES above one: several processes that are one to everybody outside.

let platform: TestPlatform

beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())

/** The developer API in two processes, once both answer. */
async function startTwo(port: number) {
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
  onTestFinished(() => void primary.kill('SIGKILL'))
  const written: string[] = []
  for (const stream of [primary.stdout, primary.stderr])
    stream.on('data', (text) => written.push(String(text)))
  return { primary, metricsPort, output: () => written.join('') }
}

async function ready(port: number, output: () => string) {
  await expect
    .poll(() => output().split(`"port":${port}`).length - 1, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(2)
}

/** The ids of the processes that answer requests. */
function answering({ pid }: ChildProcess): number[] {
  return childProcessIds(present(pid, 'the id of a process that runs'))
}

/** On a connection of its own, which any of the processes may get. */
async function ask(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/jwks`, {
    headers: { connection: 'close' },
  })
  await response.arrayBuffer()
  return response.status
}

test('they answer at one port, are measured together, and end together', async () => {
  const port = await freePort()
  const { primary, metricsPort, output } = await startTwo(port)
  await ready(port, output)
  for (let i = 0; i < 20; i++) expect(await ask(port)).toBe(200)
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  expect(metrics).toMatch(/^http_request_seconds_count\{.*jwks.*\} 20$/m)
  const both = answering(primary)
  expect(both).toHaveLength(2)
  primary.kill('SIGTERM')
  expect(await once(primary, 'exit')).toEqual([0, null])
  expect(both.filter(isRunning)).toEqual([])
})

test('one that is killed is replaced, and the other answers meanwhile', async () => {
  const port = await freePort()
  const { primary, output } = await startTwo(port)
  await ready(port, output)
  const [victim = 0, other = 0] = answering(primary)
  process.kill(victim, 'SIGKILL')
  await expect.poll(() => isRunning(victim)).toBe(false)
  for (let i = 0; i < 5; i++) expect(await ask(port)).toBe(200)
  await expect.poll(() => answering(primary).filter((pid) => pid !== victim)).toHaveLength(2)
  expect(answering(primary)).toContain(other)
})

test('while one hangs, its metrics cannot be had, and nothing ends', async () => {
  const port = await freePort()
  const { primary, metricsPort, output } = await startTwo(port)
  await ready(port, output)
  const [hanging = 0] = answering(primary)
  process.kill(hanging, 'SIGSTOP')
  const metrics = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  expect((await metrics()).status).toBe(503)
  process.kill(hanging, 'SIGCONT')
  expect((await metrics()).status).toBe(200)
  expect(await ask(port)).toBe(200)
})

test('where the port is taken, none of them stays', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const address = taken.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const { primary, output } = await startTwo(port)
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
