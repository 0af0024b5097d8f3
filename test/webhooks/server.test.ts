import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, onTestFinished } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { START_CACHE } from '../support/start-cache.ts'
import { test } from '../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../support/webhooks/start-platform.ts'

const MOMENTS = 3

let platform: TestPlatform
let sharedService: Service
let startMs: number

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  const startedAt = performance.now()
  sharedService = await start()
  await isReady(sharedService)
  startMs = performance.now() - startedAt
})
afterAll(async () => {
  expect(await endService(sharedService, (child) => child.kill())).toEqual({
    exit: [0, null],
    complaint: '',
  })
})

test.each([
  ['SIGTERM', (child: ChildProcess) => child.kill()],
  // Closes the IPC channel, as the end of the parent process does.
  ['disconnect', (child: ChildProcess) => child.disconnect()],
])('%s at any moment of the start ends the service', async (_, end) => {
  for (let moment = 0; moment <= MOMENTS; moment++) {
    const service = await start()
    await pause((startMs * moment) / MOMENTS)
    const { exit, complaint } = await endService(service, end)
    expect(complaint).toBe('')
    // Early in its start, the service has no handler for the signal yet, so the signal kills it.
    expect([
      [null, 'SIGTERM'],
      [0, null],
    ]).toContainEqual(exit)
  }
})

test('the service exits with 1 if it cannot listen', async () => {
  const port = await freePort()
  const occupant = createServer().listen(port, '127.0.0.1')
  await once(occupant, 'listening')
  onTestFinished(() => void occupant.close())
  const { child, complaint } = await start(port)
  expect(await once(child, 'close')).toEqual([1, null])
  expect(complaint()).toContain(`address already in use 127.0.0.1:${port}`)
})

test.each([
  [400, 'invalid_request', 'GET /api/v1/login HTTP/1.1\r\n'],
  [400, 'invalid_request', 'GET /api/v1/login HTTP/1.1\r\nhost: x\r\nHost: y\r\n'],
  [405, 'method_not_allowed', 'GET /api/v1/login HTTP/1.0\r\n'],
  [405, 'method_not_allowed', 'GET /api/v1/login HTTP/1.1\r\nhost: x\r\nexpect: anything\r\n'],
  [400, 'invalid_request', 'LOGIN /api/v1/login HTTP/1.1\r\nhost: x\r\n'],
  [400, 'invalid_request', 'GET /api/v1/login HTTP/1.1\r\nhost: x\r\nno colon\r\n'],
])('%i %s is the response to the unusual request %j', async (status, code, head) => {
  const socket = connect(Number(new URL(sharedService.url).port), '127.0.0.1')
  const answer = text(socket)
  socket.write(`${head}connection: close\r\n\r\n`)
  const [headers, body = ''] = (await answer).split('\r\n\r\n')
  expect(headers).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  expect(headers).toMatch(/\r\nx-request-id: [\da-f-]{36}\r\n/i)
  expect(headers).toMatch(/\r\nx-content-type-options: nosniff\r\n/i)
  expect(headers).toMatch(/\r\nstrict-transport-security: max-age=\d+/i)
  expect(headers).not.toMatch(/x-powered-by/i)
  expect(JSON.parse(body)).toEqual({ code, detail: expect.any(String), attribute: null })
})

type Service = { child: ChildProcess; url: string; complaint: () => string }

/** Starts the service like a deployment: in a process that also serves its metrics. */
async function start(chosenPort?: number): Promise<Service> {
  const port = chosenPort ?? (await freePort())
  const child = spawn(process.execPath, [...START_CACHE, 'webhooks/server.ts'], {
    env: {
      ...platform.env,
      PATH: process.env.PATH,
      WEBHOOKS_HOST: '127.0.0.1',
      WEBHOOKS_PORT: String(port),
      METRICS_PORT: String(await freePort()),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let complaint = ''
  child.stderr?.on('data', (text) => {
    complaint += text
  })
  return { child, url: `http://127.0.0.1:${port}`, complaint: () => complaint }
}

async function isReady({ url }: Service): Promise<void> {
  while (!(await fetch(`${url}/healthz`).catch(() => null))?.ok) await pause(10)
}

async function endService({ child, complaint }: Service, end: (child: ChildProcess) => void) {
  // Waits for all output. After the parent has closed the IPC channel of a child, the child emits no `close`.
  const events = Promise.all([once(child, 'exit'), child.stderr && once(child.stderr, 'close')])
  end(child)
  const [exit] = await events
  return { exit, complaint: complaint() }
}
