import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readPostmasterPid } from '../../platform/parts/postgres.ts'
import { freePort } from '../../platform/processes/free-ports.ts'
import { temporaryFolder } from '../../platform/processes/temporary-folder.ts'
import { readSettings } from '../../platform/settings.ts'

let folder: string

beforeAll(() => {
  folder = temporaryFolder('test-server-')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('Ctrl-C while it starts ends what has started, and starts nothing more', async () => {
  const { child, output } = await start()
  await vi.waitUntil(() => output().includes('✓ PostgreSQL'), { timeout: 60_000, interval: 5 })
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output()).toContain('\nStopping.\n')
  expect(output()).not.toContain('Developer API')
})

test('PostgreSQL that ends by itself ends the rest, and the terminal says so', async () => {
  const { child, output } = await start()
  await vi.waitUntil(() => output().includes('✓ PostgreSQL'), { timeout: 60_000, interval: 5 })
  process.kill(readPostmasterPid(join(folder, 'data', 'postgres')), 'SIGKILL')
  expect(await once(child, 'close')).toEqual([1, null])
  expect(output()).toContain('\nPostgreSQL ended by itself.\nStopping.\n')
})

/** `npm start` on ports and in a folder of its own. */
async function start(): Promise<{ child: ChildProcess; output: () => string }> {
  const names = Object.keys(readSettings({}).ports)
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())]))
  const child = spawn(
    process.execPath,
    ['--import', './lib/start-cache.mjs', 'platform/server.ts'],
    {
      env: {
        PATH: process.env.PATH,
        DATA_FOLDER: join(folder, 'data'),
        ...Object.fromEntries(ports),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
    })
  return { child, output: () => output }
}
