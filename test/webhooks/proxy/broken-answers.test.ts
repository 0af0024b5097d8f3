import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, vi } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import { post, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
})

test('a response of Hasura that breaks off halfway becomes 503', async () => {
  const reply = await replyWithHasura((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"data":')
    setTimeout(() => response.destroy(), 50)
  })
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
})

const failure = (code: string, message: string) => ({
  errors: [{ message, extensions: { path: '$', code } }],
})

test.each([
  ['cannot reach the database', failure('postgres-error', 'connection error')],
  ['has no connection left', failure('postgres-max-connections-error', 'max connections reached')],
  ['cannot reach its auth hook', failure('unexpected', 'webhook authentication request failed')],
  [
    'gets an invalid response from its auth hook',
    failure('unexpected', 'Invalid response from authorization hook'),
  ],
])('a 200 of a Hasura that %s becomes 503', async (_what, body) => {
  const reply = await replyWithHasura((_request, response) => response.end(JSON.stringify(body)))
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
})

test.each([
  ['another error of the database', failure('postgres-error', 'division by zero')],
  ['data that contains the same words', { data: { app: [{ name: 'connection error' }] } }],
])('%s is forwarded unchanged', async (_what, body) => {
  const reply = await replyWithHasura((_request, response) => response.end(JSON.stringify(body)))
  expect(reply).toMatchObject({ status: 200, body })
})

test('a response that is too large is rejected, and the rest is not read', async () => {
  let cutOffError: unknown
  const reply = await replyWithHasura((_request, response) => {
    pipeline(Readable.from(endlessSpace()), response).catch((error: unknown) => {
      cutOffError = error
    })
  })
  expect(reply).toMatchObject({
    status: 200,
    body: { errors: [{ extensions: { code: 'query-too-costly' } }] },
  })
  await vi.waitUntil(() => cutOffError)
})

function* endlessSpace() {
  for (;;) yield Buffer.alloc(1_000_000, ' ')
}

/** Returns the response that a team gets if a fake Hasura answers like this. */
async function replyWithHasura(answer: RequestListener) {
  const server = createServer((request, response) => {
    // The service itself sends the admin secret instead of authorization.
    if (request.headers.authorization) answer(request, response)
    else response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${Object(server.address()).port}`
  const instance = await platform.anotherInstance({ HASURA_GRAPHQL_ENDPOINT: endpoint })
  const reply = await post(`${instance.baseUrl}/v1/graphql`, { query: '{ app { id } }' }, asTeam())
  await instance.stop()
  server.closeAllConnections()
  server.close()
  return reply
}

function asTeam() {
  return { authorization: `Bearer ${team.apiKey}` }
}
