import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openSocket } from '../../../packages/engine/test/support/socket.ts'
import { ADMIN_SECRET } from '../../support/webhooks/platform-environment.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

const TEAM = '{ team { id } }'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>

beforeAll(async () => {
  platform = await startTestPlatform({ WEBSOCKET_SESSION_SECONDS: '12' }, () => ({
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
  }))
  team = await platform.team()
})
afterAll(() => platform.stop())

test('a graphql-ws client sends a query, and gets changed rows in a subscription', async () => {
  const client = createClient({
    url: `${platform.baseUrl.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { headers: { Authorization: `Bearer ${team.apiKey}` } },
  })
  const names = client.iterate({ query: 'subscription { app { name } }' })
  expect((await names.next()).value).toEqual({ data: { app: [] } })
  await platform.app({ team })
  expect((await names.next()).value).toEqual({ data: { app: [{ name: 'App' }] } })
  await names.return?.()
  const { value } = await client.iterate({ query: TEAM }).next()
  expect(value).toEqual({ data: { team: [{ id: team.id }] } })
  await client.dispose()
})

test.each([
  [
    'in the headers of the upgrade',
    'graphql-transport-ws',
    (key: string) => ({ upgrade: key, init: undefined }),
  ],
  [
    'in connection_init',
    'graphql-transport-ws',
    (key: string) => ({ upgrade: undefined, init: key }),
  ],
  [
    'in connection_init, rather than in the upgrade,',
    'graphql-ws',
    (key: string) => ({ upgrade: 'api_wrong', init: key }),
  ],
])('the API key %s is used (%s)', async (_name, protocol, placeKey) => {
  const { upgrade, init } = placeKey(team.apiKey)
  const ws = await openSocket(platform.baseUrl, protocol, bearer(upgrade))
  ws.send({ type: 'connection_init', payload: { headers: bearer(init) } })
  expect(await ws.next()).toEqual({ type: 'connection_ack' })
  const start = protocol === 'graphql-ws' ? 'start' : 'subscribe'
  ws.send({ type: start, id: '1', payload: { query: TEAM } })
  expect(await ws.next()).toMatchObject({ payload: { data: { team: [{ id: team.id }] } } })
  expect(await ws.next()).toEqual({ type: 'complete', id: '1' })
  ws.ws.terminate()
})

test('a socket rejects an operation that is too costly and its 21st operation, and continues the others', async () => {
  const ws = await openSocket(platform.baseUrl, 'graphql-transport-ws', bearer(team.apiKey))
  ws.send({ type: 'connection_init' })
  expect(await ws.next()).toEqual({ type: 'connection_ack' })
  const endless = `{app(where:${'{_and:['.repeat(5_000)}${']}'.repeat(5_000)}){id}}`
  ws.send({ type: 'subscribe', id: 'endless', payload: { query: endless } })
  expect(await ws.next()).toMatchObject({
    id: 'endless',
    type: 'error',
    payload: [{ message: expect.stringContaining('nested too deeply') }],
  })
  const live = { query: 'subscription { team { id } }' }
  for (let n = 1; n <= 21; n++) ws.send({ type: 'subscribe', id: String(n), payload: live })
  const messages = []
  for (let n = 1; n <= 21; n++) messages.push(await ws.next())
  expect(messages.filter(({ type }) => type === 'error')).toMatchObject([
    { id: '21', payload: [{ extensions: { code: 'start-failed' } }] },
  ])
  ws.send({ type: 'complete', id: '1' })
  ws.send({ type: 'subscribe', id: '22', payload: live })
  expect(await ws.next()).toMatchObject({ id: '22', type: 'next' })
  ws.ws.terminate()
})

test.each([
  ['no credentials', {}, {}],
  ['the admin secret', {}, { 'x-hasura-admin-secret': ADMIN_SECRET }],
  ['the admin secret in another case', {}, { 'X-Hasura-ADMIN-Secret': ADMIN_SECRET }],
  ['the admin secret under its older name', {}, { 'x-hasura-access-key': ADMIN_SECRET }],
  ['the admin secret at the upgrade', { 'x-hasura-admin-secret': ADMIN_SECRET }, {}],
  ['a role in the headers', { 'x-hasura-role': 'admin' }, { 'x-hasura-role': 'service' }],
  ['a wrong key', {}, { authorization: 'Bearer api_wrong' }],
])('a socket with %s is closed with 4403', async (_name, upgrade, init) => {
  const ws = await openSocket(platform.baseUrl, 'graphql-transport-ws', upgrade)
  ws.send({ type: 'connection_init', payload: { headers: init } })
  expect(await ws.closed).toMatchObject({ code: 4403 })
})

test('session variables of a client with an API key are ignored', async () => {
  const otherTeam = await platform.team()
  const ws = await openSocket(platform.baseUrl, 'graphql-transport-ws', {})
  const claims = {
    'x-hasura-admin-secret': ADMIN_SECRET,
    'x-hasura-role': 'admin',
    'x-hasura-team-id': otherTeam.id,
  }
  ws.send({
    type: 'connection_init',
    payload: { headers: { ...bearer(team.apiKey), ...claims }, ...claims },
  })
  expect(await ws.next()).toEqual({ type: 'connection_ack' })
  ws.send({ type: 'subscribe', id: '1', payload: { query: TEAM } })
  expect(await ws.next()).toMatchObject({ payload: { data: { team: [{ id: team.id }] } } })
  ws.ws.terminate()
})

test('a live query of a revoked key ends with its session, and cannot start again', async () => {
  const revokedTeam = await platform.team()
  const ws = await openSocket(platform.baseUrl, 'graphql-transport-ws', bearer(revokedTeam.apiKey))
  ws.send({ type: 'connection_init' })
  await ws.next()
  ws.send({ type: 'subscribe', id: '1', payload: { query: `subscription ${TEAM}` } })
  expect(await ws.next()).toMatchObject({ type: 'next' })
  await platform.db.query('update api_key set is_active = false where id = $1', [revokedTeam.keyId])
  expect(await ws.closed).toMatchObject({ code: 1012 })
  const secondSocket = await openSocket(
    platform.baseUrl,
    'graphql-transport-ws',
    bearer(revokedTeam.apiKey),
  )
  secondSocket.send({ type: 'connection_init' })
  expect(await secondSocket.closed).toMatchObject({ code: 4403 })
})

function bearer(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { Authorization: `Bearer ${key}` }
}
