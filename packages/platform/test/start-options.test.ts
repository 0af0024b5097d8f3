import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readStartOptions } from '../commands/start/start-options.ts'
import { takeDataFolder } from '../data-folder.ts'
import { isolatedSettings } from '../settings/isolated-settings.ts'
import { readSettings } from '../settings/settings.ts'

/** Returns the settings for these arguments and variables. */
function settingsOf(args: string[], env: NodeJS.ProcessEnv = {}) {
  const options = readStartOptions(args, env)
  if (options.help) throw new Error('only the help')
  return options.settings
}

test('without options, the settings come from the variables', () => {
  const env = { DATA_FOLDER: 'some', OIDC_PORT: '4001' }
  expect(settingsOf([], env)).toEqual(readSettings(env))
})

test('--ports 4000 numbers all ports from 4000 on, beginning with the pages that users open', () => {
  const { ports } = settingsOf(['--ports', '4000'])
  expect(ports).toMatchObject({ WEBHOOKS_PORT: 4000, OIDC_PORT: 4001, DEMO_PORT: 4002 })
  const numbers = Object.values(ports).sort((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => 4000 + index))
})

test('single ports override the first port, and options override variables', () => {
  const env = { POSTGRES_PORT: '5000', MAIL_PAGE_PORT: '5001', SMTP_PORT: '5002' }
  expect(settingsOf(['--ports', 'postgres=6000,mail-page=6001'], env).ports).toEqual({
    ...readSettings(env).ports,
    POSTGRES_PORT: 6000,
    MAIL_PAGE_PORT: 6001,
  })
  expect(settingsOf(['--ports', '4000, postgres=6000'], env).ports).toMatchObject({
    POSTGRES_PORT: 6000,
    SMTP_PORT: 4008,
  })
  expect(settingsOf(['--data', 'typed'], { DATA_FOLDER: 'some' }).folder).toBe(resolve('typed'))
})

test.each([
  [['--ports', 'web=4000'], 'got "web=4000". Names: webhooks, oidc,'],
  [['--ports', ''], 'got ""'],
  [['--ports', '65530'], '1 to 65535; got 65536'],
  [['--ports', 'smtp=0'], '1 to 65535; got 0'],
  [['--port', '4000'], "Unknown option '--port'"],
  [['now'], "Unexpected argument 'now'"],
])('the options %j are rejected with "%s"', (args, message) => {
  expect(() => settingsOf(args)).toThrow(message)
})

test('a start in a folder with files of another program fails and changes no file, even with --fresh', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-options-'))
  writeFileSync(join(folder, 'thesis.txt'), '')
  const settings = await isolatedSettings(folder)
  for (const fresh of [false, true])
    await expect(takeDataFolder(settings, fresh)).rejects.toThrow('Choose a new or an empty folder')
  expect(readdirSync(folder)).toEqual(['thesis.txt'])
  rmSync(folder, { recursive: true })
})

test.each([
  ['the secrets of another program', '{"adminSecret":"ours","apiToken":"theirs"}'],
  ['nothing in its secrets', '{}'],
  ['secrets that are not JSON', 'adminSecret: x'],
])(
  'a start in a folder with %s fails and changes no file, even with --fresh',
  async (_content, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'start-options-'))
    const file = join(folder, 'secrets.json')
    writeFileSync(file, text, { mode: 0o644 })
    const settings = await isolatedSettings(folder)
    for (const fresh of [false, true])
      await expect(takeDataFolder(settings, fresh)).rejects.toThrow(
        'Choose a new or an empty folder',
      )
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(statSync(file).mode & 0o777).toBe(0o644)
    rmSync(folder, { recursive: true })
  },
)

test('a start accepts the folder of an earlier version and makes its secrets private', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-options-'))
  writeFileSync(join(folder, 'secrets.json'), '{"adminSecret":"of an earlier version"}')
  const claim = await takeDataFolder(await isolatedSettings(folder), false)
  await claim.stop()
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
  rmSync(folder, { recursive: true })
})

test('a start creates a .gitignore in the data folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-options-'))
  const claim = await takeDataFolder(await isolatedSettings(folder), false)
  await claim.stop()
  expect(readdirSync(folder)).toEqual(['.gitignore'])
  rmSync(folder, { recursive: true })
})
