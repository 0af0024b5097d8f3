import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { readFacts } from '../facts.ts'
import { freePorts, startCommand } from './support/start-command.ts'

const folder = temporaryFolder('test-full-disk-')
const disk = join(folder, 'disk')
mkdirSync(disk)
const hasDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'none', disk]).status === 0

afterAll(() => {
  if (hasDisk) spawnSync('umount', [disk])
  rmSync(folder, { recursive: true })
})

describe.runIf(hasDisk)('npm start with data on a small disk', () => {
  test('npm start names the full file system, and serves again once there is space', async () => {
    const data = join(disk, 'data')
    const running = startCommand({ DATA_FOLDER: data, ...(await freePorts()) })
    await running.waitForOutput('Ready.')
    const { baseUrl } = readFacts(data)
    const filler = join(disk, 'filler')
    fill(filler)
    const readOutput = () => {
      fill(filler)
      return signUp(baseUrl).then(() => running.output())
    }
    await expect
      .poll(readOutput, { timeout: 60_000 })
      .toMatch(`The file system at ${disk} is full (0 of 300 MB free), and it contains ${data}`)
    rmSync(filler)
    await expect.poll(() => signUp(baseUrl), { timeout: 60_000 }).toBe(201)
    running.child.kill('SIGINT')
    expect(await once(running.child, 'exit')).toEqual([0, null])
  })

  test('npm start fails on a full disk and names the file system', async () => {
    const filler = join(disk, 'filler')
    fill(filler)
    const data = join(disk, 'second')
    const start = startCommand({ DATA_FOLDER: data, ...(await freePorts()) })
    expect(await once(start.child, 'close')).toEqual([1, null])
    expect(start.output()).toContain(`The file system at ${disk} is full (0 of 300 MB free)`)
    rmSync(filler)
  })
})

/** Fills the disk. */
function fill(file: string) {
  const descriptor = openSync(file, 'a')
  try {
    for (const size of [1024 ** 2, 4_096])
      try {
        for (const block = Buffer.alloc(size); ; ) writeSync(descriptor, block)
      } catch {
        // The disk has no room for a block of this size.
      }
  } finally {
    closeSync(descriptor)
  }
}

/** Returns the status of a sign-up; 0 without a response. */
async function signUp(baseUrl: string): Promise<number> {
  const person = {
    email: `ada-${Date.now()}@example.com`,
    password: 'difference',
    name: 'Ada',
    team_name: 'Engine',
  }
  try {
    const answer = await fetch(`${baseUrl}/api/v1/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(person),
      signal: AbortSignal.timeout(5_000),
    })
    return answer.status
  } catch {
    return 0
  }
}
