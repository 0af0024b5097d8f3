import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readPostmasterPid } from '../../../local/postgres/embedded-postgres.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import {
  descendants,
  isRunning,
  npmStart,
  ownPorts,
  startCommand,
} from './support/start-command.ts'

let folder: string

beforeAll(() => {
  folder = temporaryFolder('test-server-')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('Ctrl-C while it starts ends what has started, and starts nothing more', async () => {
  const { child, output, says } = await start()
  await says('✓ PostgreSQL')
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output()).toContain('\nStopping.\n')
  expect(output()).not.toContain('Developer API')
})

test('what does not end within eight seconds of Ctrl-C is ended by force', async () => {
  const { child, output, says } = await start()
  await says('✓ PostgreSQL')
  const stuck = freezePostgres()
  const asked = Date.now()
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(Date.now() - asked).toBeGreaterThan(7_000)
  expect(output()).toContain('Not everything ended in time: ending by force.')
  await vi.waitUntil(() => !isRunning(stuck))
})

test('a second Ctrl-C ends everything at once, but not the second signal of the first', async () => {
  const { child, output, says } = await start()
  await says('✓ PostgreSQL')
  const stuck = freezePostgres()
  child.kill('SIGINT')
  child.kill('SIGINT')
  await says('Stopping.')
  await sleep(600)
  expect(child.exitCode).toBeNull()
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output()).toContain('Asked again: ending by force.')
  await vi.waitUntil(() => !isRunning(stuck))
})

test('when npm is killed, all that it has started ends', async () => {
  const { pid, says } = npmStart({ DATA_FOLDER: join(folder, 'data'), ...(await ownPorts()) })
  await says('✓ PostgreSQL')
  const started = descendants(pid)
  expect(started).toContain(postmaster())
  process.kill(pid, 'SIGKILL')
  await vi.waitUntil(() => !started.some(isRunning), { timeout: 30_000 })
})

/** `npm start` on ports and in a folder of its own. */
async function start() {
  return startCommand({ DATA_FOLDER: join(folder, 'data'), ...(await ownPorts()) })
}

/** A server that answers no signal but SIGKILL stands for one that is too busy to end. */
function freezePostgres(): number {
  const pid = postmaster()
  process.kill(pid, 'SIGSTOP')
  return pid
}

function postmaster(): number {
  return readPostmasterPid(join(folder, 'data', 'postgres'))
}
