import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { serveEngineHere } from '../../../packages/engine/test/support/serve-here.ts'
import type { ServedEngine } from '../../../packages/engine/test/support/start-engine.ts'
import { startPostgresWithStandby } from '../../support/hasura/streaming-standby.ts'
import { engineEnvironment } from '../../support/webhooks/platform-environment.ts'
import { makeTeam } from '../../support/webhooks/platform-rows.ts'
import { startPlatformOn, type TestPlatform } from '../../support/webhooks/start-platform.ts'
import { watchedHasura } from '../../support/webhooks/watched-hasura.ts'

// Teams' queries go to a GraphQL engine on a real standby with streaming replication.

const APPS = 'query Apps { app { name } }'

let postgres: Awaited<ReturnType<typeof startPostgresWithStandby>>
let platform: TestPlatform
let reader: ServedEngine
let watched: Awaited<ReturnType<typeof watchedHasura>>
let instance: Awaited<ReturnType<TestPlatform['anotherInstance']>>
let team: Awaited<ReturnType<typeof makeTeam>>

beforeAll(async () => {
  postgres = await startPostgresWithStandby()
  platform = await startPlatformOn((_url, settings) =>
    serveEngineHere(postgres.primaryUrl, settings),
  )
  reader = await serveEngineHere(postgres.standbyUrl, {
    ...engineEnvironment(platform.baseUrl),
    HASURA_GRAPHQL_METADATA_DATABASE_URL: postgres.primaryUrl,
    HASURA_GRAPHQL_DISABLE_EVENTING: 'true',
  })
  watched = await watchedHasura(reader.url)
  instance = await platform.anotherInstance({
    HASURA_GRAPHQL_READ_ENDPOINT: watched.url,
    HASURA_TIMEOUT_MS: '60000',
  })
  team = await makeTeam(postgres)
})
afterAll(async () => {
  await instance?.stop()
  watched?.stop()
  await reader?.stop()
  await platform?.stop()
  await postgres?.stopPrimary()
})
beforeEach(() => {
  watched.operations.length = 0
})

test('the standby answers a query, and never gets a mutation', async () => {
  await expect.poll(queriesOfStandby).toBe(1)
  watched.operations.length = 0
  expect(await sendQuery(createApp('First'))).toMatchObject({ data: { insert_app_one: {} } })
  expect(watched.operations).toEqual([])
})

test('while the standby lags behind, another instance also returns the last change of a team', async () => {
  await postgres.pauseReplay()
  await sendQuery(createApp('Second'), platform.baseUrl)
  const { data } = await sendQuery(APPS)
  expect(data.app).toContainEqual({ name: 'Second' })
  expect(watched.operations).not.toContain('Apps')
})

test('a standby that has caught up answers again, with the last change', async () => {
  await postgres.resumeReplay()
  await expect.poll(queriesOfStandby).toBe(1)
  const { data } = await sendQuery(APPS)
  expect(data.app).toContainEqual({ name: 'Second' })
})

test("simultaneous queries share look-ups of the standby's position", async () => {
  const answers = await Promise.all(Array.from({ length: 16 }, () => sendQuery(APPS)))
  expect(answers.map(({ data }) => data.app.length)).toEqual(answers.map(() => 2))
  expect(watched.operations.filter((name) => name === 'LogPosition').length).toBeLessThan(16)
})

test('a standby that accepts connections but never responds does not block a query', async () => {
  const silent = createServer(() => {})
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : ''
  const instanceWithSilentStandby = await platform.anotherInstance({
    HASURA_GRAPHQL_READ_ENDPOINT: `http://127.0.0.1:${port}`,
    HASURA_TIMEOUT_MS: '60000',
  })
  const { data } = await sendQuery(APPS, instanceWithSilentStandby.baseUrl)
  expect(data.app).toHaveLength(2)
  await instanceWithSilentStandby.stop()
  silent.closeAllConnections()
  silent.close()
})

test.each([
  ['rejects the caller', 401, { errors: [{ extensions: { code: 'access-denied' } }] }],
  ['aborted the statement', 200, { errors: [{ extensions: { code: 'concurrent-update' } }] }],
  ['has older metadata', 200, { errors: [{ extensions: { code: 'validation-failed' } }] }],
])('the primary answers a query if the standby %s', async (_why, status, body) => {
  await expect.poll(queriesOfStandby).toBe(1)
  watched.answerInstead = { operation: 'Apps', status, body }
  const { data } = await sendQuery(APPS)
  expect(data.app).toHaveLength(2)
  expect(watched.operations).toContain('Apps')
  watched.answerInstead = null
})

test('the primary answers queries after the standby has stopped', async () => {
  await postgres.stopStandby()
  const { data } = await sendQuery(APPS)
  expect(data.app).toHaveLength(2)
})

/** Counts the queries that reach the standby's engine when a team sends one query. */
async function queriesOfStandby(): Promise<number> {
  watched.operations.length = 0
  await sendQuery(APPS)
  return watched.operations.filter((name) => name === 'Apps').length
}

function createApp(name: string): string {
  return `mutation { insert_app_one(object: { name: "${name}" }) { id } }`
}

async function sendQuery(query: string, baseUrl = instance.baseUrl) {
  const response = await fetch(`${baseUrl}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${team.apiKey}` },
    body: JSON.stringify({ query }),
  })
  return Object(await response.json())
}
