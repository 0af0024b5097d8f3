import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readPostmasterPid, startPostgres } from '../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

let folder: string
let options: Parameters<typeof startPostgres>[0]

beforeAll(async () => {
  folder = temporaryFolder('test-platform-')
  options = {
    folder: join(folder, 'cluster'),
    port: await freePort(),
    password: randomUUID(),
    remedy: 'Set DATA_FOLDER.',
    settings: ['fsync=off'],
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a second start finds the data of the first start', async () => {
  const first = await startPostgres(options)
  await query(first.url, 'create table kept (n integer)')
  await first.stop()
  const second = await startPostgres(options)
  expect(await query(second.url, 'select n from kept')).toEqual([])
  await second.stop()
})

test('onEnd is called when PostgreSQL is killed, and not when it is stopped', async () => {
  const onEnd = vi.fn()
  const server = await startPostgres({ ...options, onEnd })
  await server.stop()
  expect(onEnd).not.toHaveBeenCalled()
  await startPostgres({ ...options, onEnd })
  process.kill(readPostmasterPid(options.folder), 'SIGKILL')
  await vi.waitUntil(() => onEnd.mock.calls.length > 0, { timeout: 60_000 })
  expect(onEnd.mock.calls).toEqual([[new Error('PostgreSQL ended unexpectedly: signal SIGKILL.')]])
})

test('a start ends a server that still runs on the same data directory', async () => {
  const orphan = await startPostgres(options)
  const next = await startPostgres(options)
  expect(await query(next.url, 'select 1 as n')).toEqual([{ n: 1 }])
  await next.stop()
  await orphan.stop()
})

test('the next start works after a start was killed while it created the data directory', async () => {
  const killedOptions = { ...options, folder: join(folder, 'killed') }
  const starter = startElsewhere(killedOptions)
  const hasBegun = () =>
    readdirSync(folder, { recursive: true }).some((file) => /^killed.*PG_VERSION$/.test(`${file}`))
  await vi.waitUntil(hasBegun, { timeout: 60_000, interval: 1 })
  process.kill(-Number(starter.pid), 'SIGKILL')
  const next = await startPostgres(killedOptions)
  expect(await query(next.url, 'select 1 as n')).toEqual([{ n: 1 }])
  await next.stop()
})

test.each([
  ['fails', "throw new Error('anything')"],
  ['exits on a signal', "exitOnSignals(); process.kill(process.pid, 'SIGINT')"],
])('PostgreSQL ends when the process that started it %s', async (_, code) => {
  const starter = startElsewhere(options, code)
  const [output] = await Promise.all([text(starter.stdout), once(starter, 'exit')])
  expect(output).toBe('started\n')
  const pidFile = join(options.folder, 'postmaster.pid')
  await vi.waitUntil(() => !existsSync(pidFile), { timeout: 30_000, interval: 20 })
})

test('a start on a port in use fails with an error that says what to do', async () => {
  const blocker = createServer().listen(options.port, '127.0.0.1')
  await once(blocker, 'listening')
  await expect(startPostgres(options)).rejects.toThrow(/Port \d+ is in use\. End the program/)
  blocker.close()
})

test('a start that fails leaves no files', async () => {
  const blocker = createServer().listen(options.port, '127.0.0.1')
  await once(blocker, 'listening')
  const start = startPostgres({ ...options, folder: join(folder, 'refused/data/postgres') })
  await expect(start).rejects.toThrow(/Port \d+ is in use/)
  expect(existsSync(join(folder, 'refused'))).toBe(false)
  blocker.close()
})

test('a connection with a wrong password is rejected', async () => {
  const server = await startPostgres(options)
  const url = Object.assign(new URL(server.url), { password: 'guess' }).href
  await expect(query(url, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  await server.stop()
})

/** Starts the server in another process, in a separate process group. The process then runs `code`. */
function startElsewhere(startOptions: typeof options, code = '') {
  const [postgres, signals] = [
    'local/postgres/embedded-postgres',
    'packages/platform/processes/exit-on-signals',
  ].map((path) => new URL(`../../../${path}.ts`, import.meta.url).href)
  const script = `
    const { startPostgres } = await import('${postgres}')
    const { exitOnSignals } = await import('${signals}')
    await startPostgres(${JSON.stringify(startOptions)})
    console.log('started')
    setInterval(() => {}, 1000)
    ${code}`
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

async function query(url: string, text: string) {
  const client = new Client(url)
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
