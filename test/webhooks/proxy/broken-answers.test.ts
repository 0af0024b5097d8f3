import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, vi } from 'vitest'
import { test } from '../../support/webhooks/platform-test.ts'
import { post, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let mine: Awaited<ReturnType<TestPlatform['team']>>

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  mine = await platform.team()
})

test('an answer that breaks off halfway is 503, like one that never comes', async () => {
  const reply = await answeredBy((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"data":')
    setTimeout(() => response.destroy(), 50)
  })
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
})

const failure = (code: string, message: string) => ({
  errors: [{ message, extensions: { path: '$', code } }],
})

test.each([
  ['reaches no database', failure('postgres-error', 'connection error')],
  ['has no connection left', failure('postgres-max-connections-error', 'max connections reached')],
  ['reaches no auth hook', failure('unexpected', 'webhook authentication request failed')],
  [
    'has no answer of its auth hook',
    failure('unexpected', 'Invalid response from authorization hook'),
  ],
])('a Hasura that %s, which it says with 200, is unavailable', async (_what, body) => {
  const reply = await answeredBy((_request, response) => response.end(JSON.stringify(body)))
  expect(reply).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
})

test.each([
  ['another error of the database', failure('postgres-error', 'division by zero')],
  ['data that contains such words', { data: { app: [{ name: 'connection error' }] } }],
])('%s passes as it is', async (_what, body) => {
  const reply = await answeredBy((_request, response) => response.end(JSON.stringify(body)))
  expect(reply).toMatchObject({ status: 200, body })
})

test('an answer that is too large is refused, and no more of it is read', async () => {
  let cutOff: unknown
  const reply = await answeredBy((_request, response) => {
    pipeline(Readable.from(endlessSpace()), response).catch((error: unknown) => {
      cutOff = error
    })
  })
  expect(reply).toMatchObject({
    status: 200,
    body: { errors: [{ extensions: { code: 'query-too-costly' } }] },
  })
  await vi.waitUntil(() => cutOff)
})

function* endlessSpace() {
  for (;;) yield Buffer.alloc(1_000_000, ' ')
}

/** What a team is told when a server in Hasura's place answers so. */
async function answeredBy(answer: RequestListener) {
  const server = createServer((request, response) => {
    // The service itself asks with the admin secret.
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
  return { authorization: `Bearer ${mine.apiKey}` }
}
