import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSocket, type Socket } from '../../../packages/engine/test/support/socket.ts'
import {
  createApiKeySecret,
  formatApiKey,
  hashApiKey,
} from '../../../webhooks/credentials/api-key.ts'
import { PEPPER } from '../../support/webhooks/platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

type Team = Awaited<ReturnType<TestPlatform['team']>>

let platform: TestPlatform
let otherTeam: Team

beforeAll(async () => {
  // One request runs at a time, and at most eight requests of a caller wait.
  platform = await startTestPlatform({ GRAPHQL_CONCURRENCY: '1' })
  otherTeam = await platform.team()
})
afterAll(() => platform.stop())

function sendQuery(authorization: string) {
  return platform.post('/v1/graphql', { query: '{ team { id } }' }, { authorization })
}

async function keysOf({ id }: Team, count: number): Promise<string[]> {
  const { rows } = await platform.db.query(
    "insert into api_key (team_id, name, secret_hash) select $1, 'Key', repeat('0', 64) from generate_series(1, $2) returning id",
    [id, count],
  )
  const keys = rows.map((row) => ({ id: row.id, secret: createApiKeySecret() }))
  for (const key of keys)
    await platform.db.query('update api_key set secret_hash = $2 where id = $1', [
      key.id,
      hashApiKey([PEPPER], key),
    ])
  return keys.map((key) => `Bearer ${formatApiKey(key)}`)
}

/** Sends forty requests at once, repeatedly until some are rejected. */
async function expectOneShare(credentials: readonly string[]) {
  await expect
    .poll(
      async () => {
        const replies = Array.from({ length: 40 }, (_, i) =>
          sendQuery(credentials[i % credentials.length] ?? ''),
        )
        const other = await sendQuery(`Bearer ${otherTeam.apiKey}`)
        expect(other.body).toEqual({ data: { team: [{ id: otherTeam.id }] } })
        return new Set((await Promise.all(replies)).map(({ status }) => status))
      },
      { timeout: 15_000 },
    )
    .toEqual(new Set([200, 429]))
}

test('all keys of a team together have the share of one caller', async () => {
  await expectOneShare(await keysOf(await platform.team(), 10))
})

test('a key has one share, even if each request encodes it differently', async () => {
  const { apiKey } = await platform.team()
  await expectOneShare(
    Array.from({ length: 40 }, (_, i) => `Bearer ${' '.repeat(i)}${apiKey}${'='.repeat(i % 3)}`),
  )
})

test('all keys of a team together may open 50 sockets, and further sockets close with 4429', async () => {
  const keys = await keysOf(await platform.team(), 5)
  const sockets: Socket[] = []
  const openAuthenticated = async (Authorization: string) => {
    const ws = await openSocket(platform.baseUrl, 'graphql-transport-ws')
    sockets.push(ws)
    ws.send({ type: 'connection_init', payload: { headers: { Authorization } } })
    const answer = await Promise.race([ws.next(), ws.closed])
    return 'code' in answer ? answer.code : answer.type
  }
  for (const key of keys)
    for (let n = 0; n < 10; n++) expect(await openAuthenticated(key)).toBe('connection_ack')
  for (const key of keys) expect(await openAuthenticated(key)).toBe(4429)
  expect(await openAuthenticated(`Bearer ${otherTeam.apiKey}`)).toBe('connection_ack')
  for (const { ws } of sockets) ws.terminate()
})
