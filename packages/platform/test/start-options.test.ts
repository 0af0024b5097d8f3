import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readStartOptions } from '../commands/start/start-options.ts'
import { takeDataFolder } from '../data-folder.ts'
import { isolatedSettings } from '../settings/isolated-settings.ts'
import { readSettings } from '../settings/settings.ts'

/** The settings that were typed, with these variables beside them. */
function settingsOf(args: string[], env: NodeJS.ProcessEnv = {}) {
  const options = readStartOptions(args, env)
  if (options.help) throw new Error('only the help')
  return options.settings
}

test('without options it is what the variables say', () => {
  const env = { DATA_FOLDER: 'some', OIDC_PORT: '4001' }
  expect(settingsOf([], env)).toEqual(readSettings(env))
})

test('a first port numbers all of them, the ones that people open first', () => {
  const { ports } = settingsOf(['--ports', '4000'])
  expect(ports).toMatchObject({ WEBHOOKS_PORT: 4000, OIDC_PORT: 4001, DEMO_PORT: 4002 })
  const numbers = Object.values(ports).sort((a, b) => a - b)
  expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => 4000 + index))
})

test('single ports count more than the first, and what is typed more than variables', () => {
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
  [['--ports', 'web=4000'], 'not "web=4000". The names: webhooks, oidc,'],
  [['--ports', ''], 'not ""'],
  [['--ports', '65530'], 'from 1 to 65535, unlike 65536'],
  [['--ports', 'smtp=0'], 'from 1 to 65535, unlike 0'],
  [['--port', '4000'], "Unknown option '--port'"],
  [['now'], "Unexpected argument 'now'"],
])('%j is refused with what is allowed', (args, words) => {
  expect(() => settingsOf(args)).toThrow(words)
})

test('a folder with the files of somebody else is refused, also with --fresh, and left as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-options-'))
  writeFileSync(join(folder, 'thesis.txt'), '')
  const settings = await isolatedSettings(folder)
  for (const fresh of [false, true])
    await expect(takeDataFolder(settings, fresh)).rejects.toThrow('choose a new or an empty folder')
  expect(readdirSync(folder)).toEqual(['thesis.txt'])
  rmSync(folder, { recursive: true })
})

test.each([
  ['the secrets of another program', '{"adminSecret":"ours","apiToken":"theirs"}'],
  ['nothing in its secrets', '{}'],
  ['secrets that are no JSON', 'adminSecret: x'],
])('a folder with %s is refused, also with --fresh, and left as it is', async (_what, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'start-options-'))
  const file = join(folder, 'secrets.json')
  writeFileSync(file, text, { mode: 0o644 })
  const settings = await isolatedSettings(folder)
  for (const fresh of [false, true])
    await expect(takeDataFolder(settings, fresh)).rejects.toThrow('choose a new or an empty folder')
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(statSync(file).mode & 0o777).toBe(0o644)
  rmSync(folder, { recursive: true })
})

test('a folder that an earlier version has begun is ours', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-options-'))
  writeFileSync(join(folder, 'secrets.json'), '{"adminSecret":"of an earlier version"}')
  const claim = await takeDataFolder(await isolatedSettings(folder), false)
  await claim.stop()
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
  rmSync(folder, { recursive: true })
})

test('what a start keeps is not for git', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'start-options-'))
  const claim = await takeDataFolder(await isolatedSettings(folder), false)
  await claim.stop()
  expect(readdirSync(folder)).toEqual(['.gitignore'])
  rmSync(folder, { recursive: true })
})
