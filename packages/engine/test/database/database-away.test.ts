import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { openReadySocket } from '../support/socket.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine
let proxy: DatabaseProxy

beforeAll(async () => {
  db = await database()
  proxy = await startDatabaseProxy(db.url)
  engine = await serveEngineHere(proxy.url, { ENGINE_CONNECT_TIMEOUT_MS: '2000' })
})
afterAll(async () => {
  proxy.unblock()
  await engine.stop()
  proxy.close()
  await db.drop()
})

const health = async () => (await fetch(`${engine.url}/healthz`)).status

test('/healthz fails while the database does not answer, and recovers', async () => {
  expect(await health()).toBe(200)
  proxy.block()
  expect(await Promise.all([health(), health(), health()])).toEqual([500, 500, 500])
  proxy.unblock()
  await expect.poll(health).toBe(200)
})

test('a request for SQL that gets no connection in time gets an error, and a request without SQL is answered', async () => {
  proxy.closeConnections()
  proxy.block()
  expect((await engine.graphql('{ __typename }')).body).toMatchObject({ data: {} })
  const { body } = await engine.post('/v2/query', { type: 'run_sql', args: { sql: 'select 1' } })
  expect(body).toMatchObject({ code: expect.stringMatching(/postgres-error|unexpected/) })
  proxy.unblock()
})

test('a subscription gets an error while the database is away, and then continues', async () => {
  await db.query('create table lamp (id int primary key)')
  await engine.post('/v1/metadata', replace(metadata([table('lamp')])))
  const ws = await openReadySocket(engine.url)
  ws.send({ type: 'subscribe', id: 'lamps', payload: { query: 'subscription { lamp { id } }' } })
  expect(await ws.next()).toMatchObject({ type: 'next', payload: { data: { lamp: [] } } })
  proxy.closeConnections()
  proxy.block()
  expect(await ws.next()).toMatchObject({
    type: 'next',
    id: 'lamps',
    payload: { data: null, errors: [{ extensions: { code: 'postgres-error' } }] },
  })
  proxy.unblock()
  await expect
    .poll(async () => await ws.next(), { timeout: 15_000 })
    .toMatchObject({ type: 'next', payload: { data: { lamp: [] } } })
  await db.query('insert into lamp values (1)')
  expect(await ws.next()).toMatchObject({ payload: { data: { lamp: [{ id: 1 }] } } })
  ws.ws.terminate()
})
