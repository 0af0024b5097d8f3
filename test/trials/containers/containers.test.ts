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
import { compose, environmentOf, variablesOf } from '../../support/compose.ts'

// The parts of `npm run test:containers` that need no Docker engine.
const folder = mkdtempSync(join(tmpdir(), 'containers-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('without a Docker engine', () => {
  test('it says how to get one', async () => {
    const env = { PATH: folder }
    await expect(requireEngine(env)).rejects.toThrow(/--start-engine/)
  })

  test.each([
    ['2.40.3-3', true],
    ['v2.24.0', true],
    ['5.0.0', true],
    ['2.23.9', false],
    ['1.29.2', false],
    ['', false],
  ])('Compose %s is new enough: %s', (version, isSo) => {
    expect(isComposeNewEnough(version)).toBe(isSo)
  })

  test('an option that there is not is refused, and none starts an engine by itself', () => {
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

describe('the commands of the documentation', () => {
  const source = globSync('trials/containers/**/*.ts').map((file) => readFileSync(file, 'utf8'))

  test('that a run takes are there', () => {
    const pages = source.flatMap((text) => {
      const [, page = ''] = /const PAGE = '([^']+)'/.exec(text) ?? []
      const taken = text.matchAll(/asDocumented\(\s*(?:PAGE|'([^']+)'),\s*'([^']+)'/g)
      return [...taken].map(([, named = page, name = '']) => [named, name] as const)
    })
    expect(pages.length).toBeGreaterThan(8)
    for (const [page, name] of pages)
      expect(documentedCommands(page, name)).toMatch(/^docker (compose|network) /)
  })

  test('that a page does not have are missed by name', () => {
    expect(() => documentedCommands('docs/operations/backup.md', 'back-down')).toThrow('back-down')
  })

  test('a command that fails says what it wrote to its standard error', async () => {
    const command = ['sh', '-c', 'echo here; echo wrong >&2; exit 3']
    await expect(mustRun(command)).rejects.toThrow(/: 3: wrong$/)
    expect(await mustRun(['cat'], { input: ' what was given \n' })).toBe('what was given')
  })
})

describe('the .env of a run', () => {
  test('has what the compose file takes, and nobody else may read it', () => {
    const file = writeEnvFile(join(folder, '.env'), {
      BASE_URL: 'http://localhost:1',
      AUTH_URL: 'http://localhost:2',
      SMTP_URL: 'smtp://localhost:3',
      CHAIN_RPC_URL: 'http://localhost:4',
    })
    expect(statSync(file.path).mode & 0o777).toBe(0o600)
    const written = parseEnv(readFileSync(file.path, 'utf8'))
    for (const name of variablesOf(compose)) expect(written).toHaveProperty(name)
    for (const service of Object.values(compose.services)) environmentOf(service, written)
    expect(written.HASURA_GRAPHQL_ADMIN_SECRET).toMatch(/^[0-9a-f]{64}$/)
    file.change({ BASE_URL: 'http://localhost:5' })
    expect(parseEnv(readFileSync(file.path, 'utf8'))).toEqual({
      ...written,
      BASE_URL: 'http://localhost:5',
    })
  })
})

test('every image that the files name is made here, or is the engine’s', () => {
  const named = [
    ...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+:\S+)/gm),
    ...readFileSync('docker-compose.yml', 'utf8').matchAll(/image: (?!personhood)(\S+)/g),
  ].map(([, image]) => image)
  const source = readFileSync('trials/containers/images/base-images.ts', 'utf8')
  const made = [...source.matchAll(/^ {2}'(\S+:\S+)': '(\S+)'/gm)]
  for (const [, , recipe = ''] of made)
    expect(existsSync(`trials/containers/images/${recipe}`)).toBe(true)
  // Mailpit is of a profile: a run has the mail catcher of `npm start`.
  const provided = [...made.map(([, image]) => image), ...hasuraImages(), 'axllent/mailpit:v1.27']
  expect(new Set(named)).toEqual(new Set(provided))
})

test('a report has each step, goes on after one that failed, and ends where one was needed', async () => {
  const said: string[] = []
  const report = startReport((line) => said.push(line))
  await report.step('one', async () => 'seen')
  await report.step('two', () => Promise.reject(new Error('not seen')))
  await expect(report.need('three', () => Promise.reject(new Error('away')))).rejects.toThrow(
    'three',
  )
  expect(report.summary().split('\n').at(-1)).toBe('1 passed, 2 failed')
  expect(report.summary()).toMatch(/\| two +\| failed +\| [\d.]+ +\| not seen +\|/)
  expect(report.hasFailed()).toBe(true)
  expect(said.join()).toContain('passed')
})

test('a load counts what failed, and waits for what is under way', async () => {
  let sent = 0
  const load = startLoad({
    perSecond: 200,
    async send() {
      sent += 1
      const answer = sent % 2 === 0 ? '200' : '503'
      await new Promise((resolve) => setTimeout(resolve, 20))
      return answer
    },
  })
  await expect.poll(() => sent).toBeGreaterThan(4)
  const outcome = await load.stop()
  expect(outcome.sent).toBe(sent)
  expect([...outcome.answers.values()].reduce((sum, n) => sum + n, 0)).toBe(sent)
  expect(outcome.failed).toBe(outcome.answers.get('503'))
})
