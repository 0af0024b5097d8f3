import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { openSocket } from '../support/socket.ts'

const KEY = 'k'.repeat(32)
const CLAIMS = { 'x-hasura-allowed-roles': ['user'], 'x-hasura-default-role': 'user' }

let db: Database
let cookie: string

beforeAll(async () => {
  db = await database()
  const token = await new SignJWT({ 'https://hasura.io/jwt/claims': CLAIMS })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(KEY))
  cookie = `session=${token}`
})
afterAll(() => db.drop())

/** Opens a socket with these headers. Returns the type of the engine's first message, or `closed`. */
async function greet(url: string, headers: Record<string, string>): Promise<string> {
  const socket = await openSocket(url, 'graphql-transport-ws', headers)
  socket.send({ type: 'connection_init', payload: {} })
  const closing = socket.closed.then(() => ({ type: 'closed' }))
  const { type } = await Promise.race([socket.next(), closing])
  socket.ws.terminate()
  return type
}

test.each([
  ['a cookie admits no page', 'false', 'closed'],
  ['a cookie admits a page if HASURA_GRAPHQL_WS_READ_COOKIE is true', 'true', 'connection_ack'],
])('on a socket with CORS disabled, %s', async (_what, readCookie, greeting) => {
  const engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
      type: 'HS256',
      key: KEY,
      header: { type: 'Cookie', name: 'session' },
    }),
    HASURA_GRAPHQL_DISABLE_CORS: 'true',
    HASURA_GRAPHQL_WS_READ_COOKIE: readCookie,
  })
  expect(await greet(engine.url, { cookie, origin: 'https://evil.example' })).toBe(greeting)
  expect(await greet(engine.url, { cookie })).toBe('connection_ack')
  await engine.stop()
})
