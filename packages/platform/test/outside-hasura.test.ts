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
import { requireCallsFromHasura, requireHasura } from '../parts/outside-hasura.ts'
import { freePorts, type StartCommand, startCommand } from './support/start-command.ts'

const folder = temporaryFolder('test-outside-hasura-')
let db: Database
let ports: Record<string, string>
let baseUrl: string

beforeAll(async () => {
  db = await database('platform')
  ports = await freePorts()
  baseUrl = `http://localhost:${ports.WEBHOOKS_PORT}`
})
afterAll(async () => {
  await db.drop()
  rmSync(folder, { recursive: true })
})

/** Runs `npm start` with an outside Hasura. */
function startAgainst(endpoint: string): StartCommand {
  return startCommand({
    DATA_FOLDER: join(folder, 'data'),
    ...ports,
    HASURA_GRAPHQL_ENDPOINT: endpoint,
    HASURA_GRAPHQL_ADMIN_SECRET: ADMIN_SECRET,
    INTERNAL_SECRET,
    DATABASE_URL: db.url,
  })
}

test('npm start runs on an outside Hasura, and its table leaves out a console that is off', async () => {
  const environment = { ...engineEnvironment(baseUrl), WEBHOOKS_URL: baseUrl }
  const engine = await serveEngineHere(db.as('hasura'), environment)
  const { child, waitForOutput, output } = startAgainst(engine.url)
  await waitForOutput('Ready.')
  expect(output()).toContain('✓ Calls from Hasura')
  expect(output()).toMatch(new RegExp(`GraphQL engine +${engine.url}\\n`))
  for (const text of ['✓ PostgreSQL', '✓ GraphQL engine', '/console'])
    expect(output()).not.toContain(text)
  child.kill('SIGINT')
  await once(child, 'close')
  await engine.stop()
}, 60_000)

test('npm start fails before it starts a part if the outside Hasura does not answer', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const { child, output } = startAgainst(endpoint)
  expect(await once(child, 'close')).toEqual([1, null])
  expect(output()).toContain(`HASURA_GRAPHQL_ENDPOINT (${endpoint}) does not answer.`)
  expect(output()).not.toContain('Local chain')
})

describe('requireHasura and requireCallsFromHasura', () => {
  const outsideHasura = ({ url }: ServedEngine, adminSecret = ADMIN_SECRET) => ({
    endpoint: url,
    adminSecret,
    internalSecret: INTERNAL_SECRET,
  })

  test.each([
    ['that rejects the admin secret', {}, 'wrong', 'rejects HASURA_GRAPHQL_ADMIN_SECRET'],
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
  ])('an outside Hasura %s is rejected', async (_name, overrides, secret, message) => {
    const environment = { ...engineEnvironment(baseUrl), ...overrides }
    const emptyDatabase = await database('platform')
    const engine = await serveEngineHere(emptyDatabase.as('hasura'), environment)
    await expect(requireHasura(outsideHasura(engine, secret))).rejects.toThrow(message)
    await engine.stop()
    await emptyDatabase.drop()
  })

  test.each([
    [
      'that authenticates callers with another server',
      { HASURA_GRAPHQL_AUTH_HOOK: 'http://127.0.0.1:9/' },
      'HASURA_GRAPHQL_AUTH_HOOK=',
    ],
    ['that calls actions at another address', {}, 'WEBHOOKS_URL='],
    [
      'that has another internal secret',
      { INTERNAL_AUTHORIZATION: 'Bearer another' },
      'INTERNAL_AUTHORIZATION=',
    ],
  ])('an outside Hasura %s is rejected', async (_name, overrides, message) => {
    const platform = await startTestPlatform({}, (url) => ({
      ...('INTERNAL_AUTHORIZATION' in overrides ? { WEBHOOKS_URL: url } : {}),
      ...overrides,
    }))
    const { apiKey } = await platform.team()
    const check = requireCallsFromHasura(outsideHasura(platform.engine), platform.baseUrl, apiKey)
    await expect(check).rejects.toThrow(message)
    await platform.stop()
  })
})
