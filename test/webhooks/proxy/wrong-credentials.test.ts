import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openSocket } from '../../../packages/engine/test/support/socket.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>

beforeAll(async () => {
  platform = await startTestPlatform()
  team = await platform.team()
})
afterAll(() => platform.stop())

let guesses = 0

/** Returns the team's key with a wrong secret, another one at each call. */
function wrongKey(): string {
  guesses += 1
  return team.apiKey.slice(0, -6) + String(guesses).padStart(6, '0')
}

function sendQuery(apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` }
  return platform.post('/v1/graphql', { query: '{ team { id } }' }, headers)
}

/** Returns the close code, or null for a socket that is accepted. */
async function openAuthenticated(apiKey: string): Promise<number | null> {
  const ws = await openSocket(platform.baseUrl, 'graphql-transport-ws')
  ws.send({ type: 'connection_init', payload: { headers: { Authorization: `Bearer ${apiKey}` } } })
  const answer = await Promise.race([ws.next(), ws.closed])
  ws.ws.terminate()
  return 'code' in answer ? answer.code : null
}

test('a flood of wrong keys gets 429, and a key that worked before keeps working', async () => {
  expect((await sendQuery(team.apiKey)).status).toBe(200)
  for (let n = 0; n < 25; n++) expect((await sendQuery(wrongKey())).status).toBe(401)
  const flood = Array.from({ length: 100 }, () => sendQuery(wrongKey()))
  for (let n = 0; n < 20; n++) expect((await sendQuery(team.apiKey)).status).toBe(200)
  const answers = await Promise.all(flood)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(20)
  expect(refused[0]?.body).toMatchObject({ code: 'rate_limited' })
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('a new key works during a flood of wrong keys, if the caller retries', async () => {
  const newTeam = await platform.team()
  let isOver = false
  const flood = async () => {
    while (!isOver) await sendQuery(wrongKey())
  }
  const floods = Promise.all(Array.from({ length: 30 }, flood))
  await vi.waitUntil(async () => (await sendQuery(newTeam.apiKey)).status === 200, {
    timeout: 20_000,
  })
  isOver = true
  await floods
})

test('a flood of wrong keys on WebSockets is rejected, and a key that worked before keeps working', async () => {
  expect(await openAuthenticated(team.apiKey)).toBeNull()
  for (let n = 0; n < 25; n++) expect(await openAuthenticated(wrongKey())).toBe(4403)
  const flood = Array.from({ length: 60 }, () => openAuthenticated(wrongKey()))
  for (let n = 0; n < 5; n++) expect(await openAuthenticated(team.apiKey)).toBeNull()
  const codes = new Set(await Promise.all(flood))
  expect([...codes].sort()).toEqual([4403, 4429])
})
