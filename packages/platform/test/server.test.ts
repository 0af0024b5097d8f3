import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readPostmasterPid } from '../../../local/postgres/embedded-postgres.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import {
  descendants,
  freePorts,
  isRunning,
  npmStart,
  startCommand,
} from './support/start-command.ts'

let folder: string

beforeAll(() => {
  folder = temporaryFolder('test-server-')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('Ctrl-C during the start ends all parts and starts no more', async () => {
  const { child, output, waitForOutput } = await start()
  await waitForOutput('✓ PostgreSQL')
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output()).toContain('\nStopping.\n')
  expect(output()).not.toContain('Developer API')
})

test('a part that does not end within eight seconds of Ctrl-C is killed', async () => {
  const { child, output, waitForOutput } = await start()
  await waitForOutput('✓ PostgreSQL')
  const frozenPid = freezePostgres()
  const stoppedAt = Date.now()
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(Date.now() - stoppedAt).toBeGreaterThan(7_000)
  expect(output()).toContain('Some parts did not stop in time: killing all parts.')
  await vi.waitUntil(() => !isRunning(frozenPid))
})

test('a second Ctrl-C kills all parts, but the second signal of one Ctrl-C does not', async () => {
  const { child, output, waitForOutput } = await start()
  await waitForOutput('✓ PostgreSQL')
  const frozenPid = freezePostgres()
  child.kill('SIGINT')
  child.kill('SIGINT')
  await waitForOutput('Stopping.')
  await sleep(600)
  expect(child.exitCode).toBeNull()
  child.kill('SIGINT')
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output()).toContain('Second Ctrl-C: killing all parts.')
  await vi.waitUntil(() => !isRunning(frozenPid))
})

test('all processes end when npm is killed', async () => {
  const { pid, waitForOutput } = npmStart({
    DATA_FOLDER: join(folder, 'data'),
    ...(await freePorts()),
  })
  await waitForOutput('✓ PostgreSQL')
  const pids = descendants(pid)
  expect(pids).toContain(postmaster())
  process.kill(pid, 'SIGKILL')
  await vi.waitUntil(() => !pids.some(isRunning), { timeout: 30_000 })
})

/** Runs `npm start` on free ports in a temporary folder. */
async function start() {
  return startCommand({ DATA_FOLDER: join(folder, 'data'), ...(await freePorts()) })
}

/** Freezes PostgreSQL, so that it reacts to SIGKILL only, like a server that is too busy to end. */
function freezePostgres(): number {
  const pid = postmaster()
  process.kill(pid, 'SIGSTOP')
  return pid
}

function postmaster(): number {
  return readPostmasterPid(join(folder, 'data', 'postgres'))
}
