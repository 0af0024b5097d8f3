import { request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Database, database } from '../../../../test/support/database.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

let db: Database
/** An engine as `dev` starts it: on loopback, and every caller is admin. */
let openEngine: ServedEngine

const OPEN = { HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1', HASURA_GRAPHQL_ADMIN_SECRET: null }

beforeAll(async () => {
  db = await database()
  openEngine = await serveEngineHere(db.url, OPEN)
})
afterAll(async () => {
  await openEngine.stop()
  await db.drop()
})

/** Runs SQL with a content type that needs no CORS preflight. @returns the status */
function runSql(
  engine: ServedEngine,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const body = JSON.stringify({ type: 'run_sql', args: { sql: 'select 1' } })
  return new Promise((resolve, reject) => {
    request(`${engine.url}/v2/query`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...headers },
    })
      .on('response', (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end(body)
  })
}

test.each([
  ['a foreign website', { origin: 'https://evil.example' }],
  ['a page in a sandbox', { origin: 'null' }],
  ['a website whose name begins with localhost', { origin: 'http://localhost.evil.example' }],
  ['a website whose name resolves to this machine', { host: 'evil.example' }],
  [
    'a website that sends no origin',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  ],
])('an engine on loopback without a secret rejects %s', async (_, headers) => {
  expect(await runSql(openEngine, headers)).toBe(403)
})

test.each([
  ['a program without an origin', {}],
  ['a page of this machine', { origin: 'http://localhost:5173' }],
  ['a page of this machine by its IP address', { origin: 'http://127.0.0.1:3000' }],
  ['its own console', { origin: 'http://[::1]:8080', 'sec-fetch-site': 'same-origin' }],
])('an engine on loopback without a secret accepts %s', async (_, headers) => {
  expect(await runSql(openEngine, headers)).toBe(200)
})

test('an engine on loopback without a secret rejects a WebSocket of a foreign website', async () => {
  const upgrade = (origin: string) =>
    new Promise((resolve) => {
      const socket = new WebSocket(
        `${openEngine.url.replace('http', 'ws')}/v1/graphql`,
        'graphql-transport-ws',
        {
          origin,
        },
      )
      socket.on('open', () => resolve('open') ?? socket.close())
      socket.on('error', ({ message }) => resolve(message))
    })
  expect(await upgrade('https://evil.example')).toBe('Unexpected server response: 403')
  expect(await upgrade('http://localhost:5173')).toBe('open')
})

test('an engine on loopback without a secret accepts a website of the CORS setting', async () => {
  const corsEngine = await serveEngineHere(db.url, {
    ...OPEN,
    HASURA_GRAPHQL_CORS_DOMAIN: 'https://*.shop.example',
  })
  expect(await runSql(corsEngine, { origin: 'https://admin.shop.example' })).toBe(200)
  expect(await runSql(corsEngine, { origin: 'https://evil.example' })).toBe(403)
  await corsEngine.stop()
})

test.each(['::1', '127.0.0.2', 'LOCALHOST'])(
  'an engine without a secret that listens on %s rejects foreign websites',
  async (host) => {
    const engine = await serveEngineHere(db.url, { ...OPEN, HASURA_GRAPHQL_SERVER_HOST: host })
    const { port } = new URL(engine.url)
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const addressed = { ...engine, url: `http://${address}` }
    expect(await runSql(addressed, { origin: 'https://evil.example' })).toBe(403)
    expect(await runSql(addressed, { host: 'evil.example' })).toBe(403)
    expect(await runSql(addressed, {})).toBe(200)
    await engine.stop()
  },
)

test('an engine with an admin secret or on a network address accepts the websites that CORS allows, as in Hasura', async () => {
  const origin = 'https://elsewhere.example'
  const secret = await serveEngineHere(db.url, { HASURA_GRAPHQL_SERVER_HOST: '127.0.0.1' })
  expect(await runSql(secret, { origin, 'x-hasura-admin-secret': ADMIN_SECRET })).toBe(200)
  await secret.stop()
  const network = await serveEngineHere(db.url, { HASURA_GRAPHQL_ADMIN_SECRET: null })
  expect(await runSql(network, { origin })).toBe(200)
  await network.stop()
})
