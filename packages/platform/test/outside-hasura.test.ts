import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'
import { type Database, database } from '../../../test/support/database.ts'
import {
  ADMIN_SECRET,
  engineEnvironment,
  INTERNAL_SECRET,
} from '../../../test/support/webhooks/platform-environment.ts'
import { startTestPlatform } from '../../../test/support/webhooks/start-platform.ts'
import { serveEngineHere } from '../../engine/test/support/serve-here.ts'
import type { ServedEngine } from '../../engine/test/support/start-engine.ts'
import { requireHasura, requireWayBack } from '../parts/outside-hasura.ts'
import { ownPorts, type StartCommand, startCommand } from './support/start-command.ts'

const folder = temporaryFolder('test-outside-hasura-')
let db: Database
let ports: Record<string, string>
let baseUrl: string

beforeAll(async () => {
  db = await database('platform')
  ports = await ownPorts()
  baseUrl = `http://localhost:${ports.WEBHOOKS_PORT}`
})
afterAll(async () => {
  await db.drop()
  rmSync(folder, { recursive: true })
})

/** `npm start` with a Hasura that was started by somebody else. */
function startWith(endpoint: string): StartCommand {
  return startCommand({
    DATA_FOLDER: join(folder, 'data'),
    ...ports,
    HASURA_GRAPHQL_ENDPOINT: endpoint,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    INTERNAL_SECRET,
    DATABASE_URL: db.url,
  })
}

test('npm start runs on a Hasura that is wired to it, and its table has no console that is off', async () => {
  const environment = { ...engineEnvironment(baseUrl), WEBHOOKS_URL: baseUrl }
  const engine = await serveEngineHere(db.as('hasura'), environment)
  const { child, says, output } = startWith(engine.url)
  await says('Ready.')
  expect(output()).toContain('✓ Hasura’s way back')
  expect(output()).toMatch(new RegExp(`GraphQL engine +${engine.url}\\n`))
  for (const absent of ['✓ PostgreSQL', '✓ GraphQL engine', '/console'])
    expect(output()).not.toContain(absent)
  child.kill('SIGINT')
  await once(child, 'close')
  await engine.stop()
}, 60_000)

test('npm start refuses at once when nothing answers there', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const { child, output } = startWith(endpoint)
  expect(await once(child, 'close')).toEqual([1, null])
  expect(output()).toContain(`Nothing answers at HASURA_GRAPHQL_ENDPOINT (${endpoint}).`)
  expect(output()).not.toContain('Local chain')
})

describe('a Hasura is refused with a sentence', () => {
  const given = ({ url }: ServedEngine, adminSecret = ADMIN_SECRET) => ({
    endpoint: url,
    adminSecret,
    internalSecret: INTERNAL_SECRET,
  })

  test.each([
    ['that refuses the secret', {}, 'wrong', 'refuses HASURA_GRAPHQL_ADMIN_SECRET'],
    [
      'without the metadata API',
      { HASURA_GRAPHQL_ENABLED_APIS: 'graphql' },
      ADMIN_SECRET,
      'HASURA_GRAPHQL_ENABLED_APIS',
    ],
    [
      'without the metadata of this project',
      { HASURA_GRAPHQL_METADATA_DIR: null },
      ADMIN_SECRET,
      'does not serve the tables of this project',
    ],
  ])('%s', async (_name, different, secret, sentence) => {
    const environment = { ...engineEnvironment(baseUrl), ...different }
    const own = await database('platform')
    const engine = await serveEngineHere(own.as('hasura'), environment)
    await expect(requireHasura(given(engine, secret))).rejects.toThrow(sentence)
    await engine.stop()
    await own.drop()
  })

  test.each([
    [
      'that asks somebody else who sends a request',
      { HASURA_GRAPHQL_AUTH_HOOK: 'http://127.0.0.1:9/' },
      'HASURA_GRAPHQL_AUTH_HOOK=',
    ],
    ['that calls actions elsewhere', {}, 'WEBHOOKS_URL='],
    [
      'that has another internal secret',
      { INTERNAL_AUTHORIZATION: 'Bearer another' },
      'INTERNAL_AUTHORIZATION=',
    ],
  ])('%s', async (_name, different, sentence) => {
    const platform = await startTestPlatform({}, (url) => ({
      ...('INTERNAL_AUTHORIZATION' in different ? { WEBHOOKS_URL: url } : {}),
      ...different,
    }))
    const { apiKey } = await platform.team()
    const checked = requireWayBack(given(platform.engine), platform.baseUrl, apiKey)
    await expect(checked).rejects.toThrow(sentence)
    await platform.stop()
  })
})
