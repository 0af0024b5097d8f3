import { readdirSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isPortFree } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { isolatedSettings } from '../settings/isolated-settings.ts'
import { startParts } from '../start-parts.ts'
import { startPlatform, type TestPlatform } from '../testing/test-platform.ts'

/** The folder for temporary folders during these tests. */
const folders = temporaryFolder('test-platform-')
let platform: TestPlatform

beforeAll(async () => {
  vi.stubEnv('TMPDIR', folders)
  platform = await startPlatform()
}, 120_000)
afterAll(async () => {
  await platform.close()
  vi.unstubAllEnvs()
  rmSync(folders, { recursive: true })
})

test.each([Number.POSITIVE_INFINITY, 2 ** 31, 0, Number.NaN])(
  'startPlatform rejects a timeoutMs of %d',
  async (timeoutMs) => {
    await expect(startPlatform({ timeoutMs })).rejects.toThrow('timeoutMs must be 1 to 2147483647')
  },
)

test('startPlatform fails after timeoutMs', async () => {
  await expect(startPlatform({ timeoutMs: 1 })).rejects.toThrow('did not start within 0.001 s.')
})

test('a start that hangs in a step ends with all its parts after an abort', async () => {
  const folder = temporaryFolder('platform-hangs-')
  const settings = await isolatedSettings(folder)
  const deadline = new AbortController()
  const starting = startParts(settings, {
    onEnd: () => {},
    signal: deadline.signal,
    step: (name, work) => {
      if (name !== 'Mail catcher') return work()
      deadline.abort(new Error('too late'))
      return new Promise(() => {})
    },
  })
  await expect(starting).rejects.toThrow('too late')
  expect(await isPortFree(settings.ports.POSTGRES_PORT)).toBe(true)
  expect(await isPortFree(settings.ports.CHAIN_PORT)).toBe(true)
  rmSync(folder, { recursive: true })
})

test('prove rejects with the reason if the simulator makes no proof', async () => {
  const purpose = { app: platform.appId, action: 'vote', signal: 's'.repeat(200_000) }
  await expect(platform.prove(purpose)).rejects.toThrow(
    /^The simulator made no proof: request entity too large$/,
  )
})

test('a second call of close waits until the first has stopped the platform and removed its folder', async () => {
  expect(platformsIn(folders)).toHaveLength(1)
  const { port } = new URL(platform.databaseUrl)
  const firstClose = platform.close()
  await platform.close()
  expect(await isPortFree(Number(port))).toBe(true)
  expect(platformsIn(folders)).toEqual([])
  await firstClose
})

function platformsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('personhood-platform-'))
}
