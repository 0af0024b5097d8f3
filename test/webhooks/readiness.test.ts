import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, vi } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { START_CACHE } from '../support/start-cache.ts'
import { test } from '../support/webhooks/platform-test.ts'

let service: ChildProcess | undefined
let log = ''

afterEach(async () => {
  if (!service || service.exitCode !== null) return
  const exit = once(service, 'exit')
  service.kill()
  await exit
  log = ''
})

const WRONG_SECRET = 'x'.repeat(64)

test('if Hasura refuses the admin secret, /readyz says that Hasura is away and the chain answers, and the log has the reason once', async ({
  platform,
}) => {
  const url = await startService({ ...platform.env, HASURA_GRAPHQL_ADMIN_SECRET: WRONG_SECRET })
  for (let i = 0; i < 3; i++)
    expect(await readChecks(url)).toEqual([503, { graphql: 'away', chain: 'ok' }])
  const faults = () => linesWith('the dependency does not answer, so /readyz says 503')
  await vi.waitFor(() => expect(faults()).toHaveLength(1))
  expect(faults()).toMatchObject([
    { level: 40, probe: 'graphql', err: { message: expect.stringContaining('admin-secret') } },
  ])
  expect(log).not.toContain(WRONG_SECRET)
})

test('if the chain is away, /readyz and the log name the chain', async ({ platform }) => {
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const url = await startService({ ...platform.env, CHAIN_RPC_URL: nowhere })
  expect(await readChecks(url)).toEqual([503, { graphql: 'ok', chain: 'away' }])
  await vi.waitFor(() =>
    expect(linesWith('the dependency does not answer, so /readyz says 503')).toMatchObject([
      { probe: 'chain', err: { message: expect.any(String) } },
    ]),
  )
})

/** Starts the developer API as a process, and returns its URL when it listens. */
async function startService(env: Record<string, string>): Promise<string> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  service = spawn(process.execPath, [...START_CACHE, 'webhooks/server.ts'], {
    env: {
      ...env,
      PATH: process.env.PATH,
      BASE_URL: url,
      WEBHOOKS_HOST: '127.0.0.1',
      WEBHOOKS_PORT: String(port),
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [service.stdout, service.stderr])
    stream?.on('data', (chunk) => {
      log += chunk
    })
  await vi.waitFor(async () => expect((await fetch(`${url}/healthz`)).status).toBe(200), 60_000)
  return url
}

async function readChecks(url: string) {
  const response = await fetch(`${url}/readyz`)
  return [response.status, Object(await response.json()).checks]
}

function linesWith(message: string): object[] {
  const lines = log.split('\n').filter((line) => line.includes(message))
  return lines.map((line) => JSON.parse(line))
}
