import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { Facts } from '../facts.ts'
import {
  descendants,
  freePorts,
  isRunning,
  type StartCommand,
  startCommand,
} from './support/start-command.ts'

/** The secrets file of an earlier version, which had fewer secrets. */
const EARLIER_SECRETS = JSON.stringify({ earlierCookieKey: 'k'.repeat(64) })

let folder: string
let data: string
let ports: Record<string, string>
let running: StartCommand

beforeAll(async () => {
  folder = temporaryFolder('test-running-')
  data = join(folder, 'data')
  // Creates the folder of an earlier version.
  mkdirSync(join(data, 'logs'), { recursive: true, mode: 0o755 })
  for (const file of ['secrets.json', 'logs/engine.log']) {
    writeFileSync(join(data, file), EARLIER_SECRETS)
    chmodSync(join(data, file), 0o644)
  }
  ports = await freePorts()
  running = startCommand({ DATA_FOLDER: data, ...ports })
  await running.waitForOutput('Ready.')
})
afterAll(() => {
  running.child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

test('only this user can read the files in the data folder', () => {
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter(({ parentPath, name }) => !join(parentPath, name).startsWith(join(data, 'postgres/')))
    .map(({ parentPath, name }) => join(parentPath, name))
  expect(files).toContain(join(data, 'platform.json'))
  expect(files).toContain(join(data, 'logs', 'oidc.log'))
  expect(files).toContain(join(data, 'chain.json'))
  const readableFiles = files.filter((file) => permissionsOf(file) & 0o077)
  expect(readableFiles).toEqual([])
  // If root starts PostgreSQL, it runs as another account, which must be able to enter the folder.
  expect(permissionsOf(data)).toBe(process.getuid?.() === 0 ? 0o711 : 0o700)
})

test('the embedded engine enforces the limits of the platform', async () => {
  const { hasura, apiKey } = Facts.parse(
    JSON.parse(readFileSync(join(data, 'platform.json'), 'utf8')),
  )
  const ask = async (query: string, headers: Record<string, string>) => {
    const body = JSON.stringify({ query })
    const response = await fetch(`${hasura.endpoint}/v1/graphql`, { method: 'POST', headers, body })
    return { status: response.status, text: await response.text() }
  }
  const caller = { authorization: `Bearer ${apiKey}` }
  const names = Array.from({ length: 501 }, (_, i) => `f${i}: __typename`).join(' ')
  expect((await ask('{ __typename }', caller)).text).toBe('{"data":{"__typename":"query_root"}}')
  expect((await ask(`{ ${names} }`, caller)).text).toContain('too many fields: 501 > 500')
  const deep = `${'{ app '.repeat(61)}{ id }${' }'.repeat(61)}`
  const admin = { 'x-hasura-admin-secret': hasura.adminSecret }
  expect((await ask(deep, admin)).text).toContain('nested too deeply')
  expect((await ask('{ __typename }', { ...admin, 'x-long': 'x'.repeat(20_000) })).status).toBe(431)
})

test.each([[[]], [['--fresh']]])(
  'a second start in the same folder, with %j, fails and changes nothing',
  async (args) => {
    const facts = readFileSync(join(data, 'platform.json'), 'utf8')
    const second = startCommand({ DATA_FOLDER: data, ...(await freePorts()) }, ...args)
    expect(await once(second.child, 'close')).toEqual([1, null])
    expect(second.output()).toContain(`Another platform (process ${running.pid}) runs in`)
    expect(second.output()).toMatch(/npm start -- --data \S+ --ports \d+\n/)
    expect(await isReady()).toBe(true)
    expect(readFileSync(join(data, 'platform.json'), 'utf8')).toBe(facts)
    expect(running.child.exitCode).toBeNull()
  },
)

test('a second start on the same ports names all ports and fails before it deletes data', async () => {
  const otherFolder = join(folder, 'other')
  mkdirSync(otherFolder)
  writeFileSync(join(otherFolder, 'secrets.json'), EARLIER_SECRETS)
  const second = startCommand({ DATA_FOLDER: otherFolder, ...ports }, '--fresh')
  expect(await once(second.child, 'close')).toEqual([1, null])
  for (const [name, port] of Object.entries(ports))
    expect(second.output()).toContain(`port ${port} (${name})`)
  expect(existsSync(join(otherFolder, 'secrets.json'))).toBe(true)
  expect(await isReady()).toBe(true)
})

test.each(['WEBHOOKS_PORT', 'DEMO_PORT', 'SIMULATOR_PORT', 'MAIL_PAGE_PORT', 'ENGINE_PORT'])(
  'the page at %s rejects requests with a foreign host name',
  async (name) => {
    const path = { ENGINE_PORT: '/console', WEBHOOKS_PORT: '/local' }[name] ?? '/'
    const at = { port: Number(ports[name]), path }
    for (const host of ['localhost', `127.0.0.1:${at.port}`, '[::1]', 'LocalHost'])
      expect([host, await statusFor(at, host)]).toEqual([host, 200])
    for (const host of [
      'attacker.example',
      `localhost.attacker.example:${at.port}`,
      '127.0.0.1.nip.io',
      'a@localhost',
    ])
      expect([host, await statusFor(at, host)]).toEqual([host, expect.toBeOneOf([400, 404, 421])])
  },
)

test('all processes of a killed platform end', async () => {
  const pids = descendants(running.pid)
  // PostgreSQL with its child processes, the chain, the engine and the services, and for each part a process that guards it.
  expect(pids.length).toBeGreaterThan(12)
  running.child.kill('SIGKILL')
  await vi.waitUntil(() => !pids.some(isRunning), { timeout: 15_000 })
})

function permissionsOf(file: string): number {
  return lstatSync(file).mode & 0o777
}

async function isReady(): Promise<boolean> {
  return (await fetch(`http://127.0.0.1:${ports.WEBHOOKS_PORT}/readyz`)).ok
}

/** Returns the status of a GET with a Host header, which `fetch` does not allow. */
async function statusFor(at: { port: number; path: string }, host: string) {
  const call = request({ host: '127.0.0.1', ...at, headers: { host } }).end()
  const [{ statusCode }] = await once(call, 'response')
  call.destroy()
  return statusCode
}
