import { readdirSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isPortFree } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { isolatedSettings } from '../settings/isolated-settings.ts'
import { startParts } from '../start-parts.ts'
import { startPlatform, type TestPlatform } from '../testing/test-platform.ts'

/** Where temporary folders are made meanwhile. */
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
  'a time of %d for the start is refused by name',
  async (timeoutMs) => {
    await expect(startPlatform({ timeoutMs })).rejects.toThrow('timeoutMs is from 1 to 2147483647')
  },
)

test('a start that takes too long says so', async () => {
  await expect(startPlatform({ timeoutMs: 1 })).rejects.toThrow('did not start within 0.001 s.')
})

test('a start that hangs in a step ends, with every part that was started', async () => {
  const folder = temporaryFolder('platform-hangs-')
  const settings = await isolatedSettings(folder)
  const late = new AbortController()
  const starting = startParts(settings, {
    onEnd: () => {},
    signal: late.signal,
    step: (name, work) => {
      if (name !== 'Mail catcher') return work()
      late.abort(new Error('too late'))
      return new Promise(() => {})
    },
  })
  await expect(starting).rejects.toThrow('too late')
  expect(await isPortFree(settings.ports.POSTGRES_PORT)).toBe(true)
  expect(await isPortFree(settings.ports.CHAIN_PORT)).toBe(true)
  rmSync(folder, { recursive: true })
})

test('why there is no proof is a sentence', async () => {
  const purpose = { app: platform.appId, action: 'vote', signal: 's'.repeat(200_000) }
  await expect(platform.prove(purpose)).rejects.toThrow(
    /^There is no proof: request entity too large$/,
  )
})

test('closed twice at once it ends once, and its folder is gone when both are told', async () => {
  expect(platformsIn(folders)).toHaveLength(1)
  const { port } = new URL(platform.databaseUrl)
  const ending = platform.close()
  await platform.close()
  expect(await isPortFree(Number(port))).toBe(true)
  expect(platformsIn(folders)).toEqual([])
  await ending
})

function platformsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('personhood-platform-'))
}
