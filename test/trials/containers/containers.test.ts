import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import {
  isComposeNewEnough,
  requireEngine,
} from '../../../trials/containers/docker-engine/find-engine.ts'
import { documentedCommands } from '../../../trials/containers/documented-commands.ts'
import { hasuraImages } from '../../../trials/containers/images/engine-as-hasura.ts'
import { parseOptions } from '../../../trials/containers/options.ts'
import { mustRun } from '../../../trials/containers/programs.ts'
import { startReport } from '../../../trials/containers/report.ts'
import { writeEnvFile } from '../../../trials/containers/stack/settings.ts'
import { startLoad } from '../../../trials/containers/steps/load.ts'
import { compose, listVariables, readEnvironment } from '../../support/compose.ts'

// Tests the parts of `npm run test:containers` that need no Docker engine.
const folder = mkdtempSync(join(tmpdir(), 'containers-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('test:containers needs Docker and Compose', () => {
  test('a missing Docker engine is reported with --start-engine', async () => {
    const env = { PATH: folder }
    await expect(requireEngine(env)).rejects.toThrow(/--start-engine/)
  })

  test.each([
    ['2.40.3-3', true],
    ['v2.24.4', true],
    ['2.24', false],
    ['2.24.3', false],
    ['5.0.0', true],
    ['2.23.9', false],
    ['1.29.2', false],
    ['', false],
  ])('isComposeNewEnough of %s is %s', (version, isSo) => {
    expect(isComposeNewEnough(version)).toBe(isSo)
  })

  test('unknown options are rejected, and no engine is started by default', () => {
    expect(() => parseOptions(['--start-engines'])).toThrow("Unknown option '--start-engines'")
    expect(parseOptions([])).toEqual({
      help: false,
      startEngine: false,
      keepImages: false,
      write: false,
      room: undefined,
    })
  })
})

describe('the documented commands are run', () => {
  const source = globSync('trials/containers/**/*.ts').map((file) => readFileSync(file, 'utf8'))

  test('every command that a run uses is on its page', () => {
    const pages = source.flatMap((text) => {
      const [, page = ''] = /const PAGE = '([^']+)'/.exec(text) ?? []
      const calls = text.matchAll(/asDocumented\(\s*(?:PAGE|'([^']+)'),\s*'([^']+)'/g)
      return [...calls].map(([, pageName = page, name = '']) => [pageName, name] as const)
    })
    expect(pages.length).toBeGreaterThan(8)
    for (const [page, name] of pages)
      expect(documentedCommands(page, name)).toMatch(/^docker (compose|network) /)
  })

  test('a missing command is reported by name', () => {
    expect(() => documentedCommands('docs/operations/backup.md', 'back-down')).toThrow('back-down')
  })

  test('a failed command reports its standard error', async () => {
    const command = ['sh', '-c', 'echo here; echo wrong >&2; exit 3']
    await expect(mustRun(command)).rejects.toThrow(/: 3: wrong$/)
    expect(await mustRun(['cat'], { input: ' what was given \n' })).toBe('what was given')
  })
})

describe('the .env of a run suits the compose file', () => {
  test('the .env has every variable of the compose file and is readable only by its owner', () => {
    const file = writeEnvFile(join(folder, '.env'), {
      BASE_URL: 'http://localhost:1',
      AUTH_URL: 'http://localhost:2',
      SMTP_URL: 'smtp://localhost:3',
      CHAIN_RPC_URL: 'http://localhost:4',
    })
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    const written = parseEnv(readFileSync(file.path, 'utf8'))
    for (const name of listVariables(compose)) expect(written).toHaveProperty(name)
    for (const service of Object.values(compose.services)) readEnvironment(service, written)
    expect(written.HASURA_GRAPHQL_ADMIN_SECRET).toMatch(/^[0-9a-f]{64}$/)
    file.change({ BASE_URL: 'http://localhost:5' })
    expect(parseEnv(readFileSync(file.path, 'utf8'))).toEqual({
      ...written,
      BASE_URL: 'http://localhost:5',
    })
  })
})

test("every image of docker-compose.yml and of the Dockerfile has a substitute, or is Hasura's or Mailpit", () => {
  const images = [
    ...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+:\S+)/gm),
    ...readFileSync('docker-compose.yml', 'utf8').matchAll(/image: (?!personhood)(\S+)/g),
  ].map(([, image]) => image)
  const source = readFileSync('trials/containers/images/base-images.ts', 'utf8')
  const recipes = [...source.matchAll(/^ {2}'(\S+:\S+)': '(\S+)'/gm)]
  for (const [, , recipe = ''] of recipes)
    expect(existsSync(`trials/containers/images/${recipe}`)).toBe(true)
  // A run does not start Mailpit, which belongs to the profile `development`. It uses the mail catcher of `npm start`.
  const provided = [
    ...recipes.map(([, image]) => image),
    ...hasuraImages(),
    'axllent/mailpit:v1.27',
  ]
  expect(new Set(images)).toEqual(new Set(provided))
})

test('a report continues after a failed step and stops after a failed required step', async () => {
  const messages: string[] = []
  const report = startReport((line) => messages.push(line))
  await report.step('one', async () => 'seen')
  await report.step('two', () => Promise.reject(new Error('not seen')))
  await expect(report.need('three', () => Promise.reject(new Error('away')))).rejects.toThrow(
    'three',
  )
  expect(report.summary().split('\n').at(-1)).toBe('1 passed, 2 failed')
  expect(report.summary()).toMatch(/\| two +\| failed +\| [\d.]+ +\| not seen +\|/)
  expect(report.hasFailed()).toBe(true)
  expect(messages.join()).toContain('passed')
})

test('a load counts failures and waits for requests under way', async () => {
  let sentCount = 0
  const load = startLoad({
    perSecond: 200,
    async send() {
      sentCount += 1
      const answer = sentCount % 2 === 0 ? '200' : '503'
      await new Promise((resolve) => setTimeout(resolve, 20))
      return answer
    },
  })
  await expect.poll(() => sentCount).toBeGreaterThan(4)
  const outcome = await load.stop()
  expect(outcome.requestCount).toBe(sentCount)
  expect([...outcome.responses.values()].reduce((sum, n) => sum + n, 0)).toBe(sentCount)
  expect(outcome.failureCount).toBe(outcome.responses.get('503'))
})
