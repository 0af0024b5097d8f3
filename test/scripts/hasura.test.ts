import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { Facts } from '../../packages/platform/facts.ts'
import { writeFacts } from '../../packages/platform/facts.ts'
import { START_CACHE } from '../support/start-cache.ts'

const FACTS: Facts = {
  baseUrl: 'http://localhost:3000',
  authUrl: 'http://localhost:3001',
  demoUrl: 'http://localhost:3002',
  simulatorUrl: 'http://localhost:3003',
  hasura: { endpoint: 'http://localhost:18080', adminSecret: 'of the platform', consoleUrl: null },
  rpcUrl: 'http://127.0.0.1:8545',
  tokens: { usdce: `0x${'c'.repeat(40)}`, wld: `0x${'d'.repeat(40)}` },
  verifiers: { production: '0x01', staging: '0x02' },
  mailUrl: 'http://localhost:8025',
  databaseUrl: 'postgres://localhost/postgres',
  databaseFolder: null,
  appId: 'app_staging_1',
  apiKey: 'api_demo',
  otherApiKey: 'api_other',
  clientSecret: 'secret',
}

const folder = mkdtempSync(join(tmpdir(), 'hasura-'))
const data = join(folder, 'data')
mkdirSync(data)
writeFacts(data, FACTS)
afterAll(() => rmSync(folder, { recursive: true }))

const STAND_IN = `#!/bin/sh
echo "$PWD|$HASURA_GRAPHQL_ENDPOINT|$HASURA_GRAPHQL_ADMIN_SECRET|$*"
exit 3`

test('npm run hasura runs the Hasura CLI in hasura/ on the running platform with unchanged arguments', () => {
  const { status, stdout } = runHasura(['metadata', 'diff', '--output', 'json'], STAND_IN)
  const project = resolve('hasura')
  expect(stdout.trim()).toBe(
    `${project}|http://localhost:18080|of the platform|metadata diff --output json`,
  )
  expect(status).toBe(3)
})

test('the Hasura in HASURA_GRAPHQL_ENDPOINT is used instead of the running platform', () => {
  const { stdout } = runHasura(['migrate', 'status'], STAND_IN, {
    HASURA_GRAPHQL_ENDPOINT: 'https://hasura.example',
    HASURA_GRAPHQL_ADMIN_SECRET: 'of the environment',
  })
  expect(stdout).toContain('|https://hasura.example|of the environment|migrate status')
})

test.each([
  ['is missing', null],
  ['is an empty file', ''],
  ['is still the placeholder of the package', 'This file is to be automatically replaced'],
])('the error says how to install the Hasura CLI if the program %s', (_case, program) => {
  const { status, stdout, stderr } = runHasura(['console'], program)
  expect(status).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('npm install && npm rebuild hasura-cli')
  expect(stderr).toContain('https://hasura.io/docs/')
})

test('the error says how to start the platform if none is running', () => {
  const { status, stderr } = runHasura(['console'], STAND_IN, { DATA_FOLDER: join(folder, 'none') })
  expect(status).toBe(1)
  expect(stderr).toBe(
    `The platform is not running in ${join(folder, 'none')}. Start it with npm start.\n`,
  )
})

/** Runs the script with this program as `hasura` in the PATH; null for no program. */
function runHasura(
  args: readonly string[],
  program: string | null,
  env: Record<string, string> = {},
) {
  const bin = mkdtempSync(join(folder, 'bin-'))
  if (program !== null) writeFileSync(join(bin, 'hasura'), program)
  if (program !== null) chmodSync(join(bin, 'hasura'), 0o755)
  return spawnSync(process.execPath, [...START_CACHE, 'scripts/hasura.ts', ...args], {
    env: { PATH: bin, DATA_FOLDER: data, ...env },
    encoding: 'utf8',
  })
}
