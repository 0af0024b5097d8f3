import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { openReadySocket } from '../support/socket.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

/** Serves live queries and streams of a source with a namespace and the convention graphql-default. */
beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: 'naming_convention',
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
  })
  await engine.post(
    '/v2/query',
    runSql(`create table my_note (note_id int primary key); insert into my_note values (1), (2)`),
  )
  await engine.post('/v1/metadata', replace(metadata([table('my_note')])))
  const customization = {
    naming_convention: 'graphql-default',
    root_fields: { namespace: 'notes', suffix: '_of_mine' },
  }
  await engine.post('/v1/metadata', {
    type: 'pg_update_source',
    args: { name: 'default', customization },
  })
})

afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const firstOf = async (query: string) => {
  const client = await openReadySocket(engine.url)
  client.send({ type: 'subscribe', id: '1', payload: { query } })
  const { payload } = await client.next()
  client.ws.close()
  return payload
}

test('a live query returns its rows inside the namespace', async () => {
  expect(
    await firstOf('subscription { all: notes { a: myNote_of_mine(limit: 1) { noteId } } }'),
  ).toEqual({ data: { all: { a: [{ noteId: 1 }] } } })
})

test('a stream returns its rows inside the namespace, and its errors have the whole path', async () => {
  const cursor = '{initialValue: {noteId: 0}, ordering: DESC}'
  expect(
    await firstOf(`subscription {
      notes { myNoteStream_of_mine(batchSize: 1, cursor: {initialValue: {noteId: 0}}) { noteId } }
    }`),
  ).toEqual({ data: { notes: { myNoteStream_of_mine: [{ noteId: 1 }] } } })
  expect(
    await firstOf(
      `subscription { notes { s: myNoteStream_of_mine(batchSize: 1, cursor: [${cursor}, ${cursor}]) { noteId } } }`,
    ),
  ).toMatchObject([
    { extensions: { path: '$.selectionSet.notes.selectionSet.myNoteStream_of_mine.args' } },
  ])
})

test('a subscription to two fields of a namespace is rejected', async () => {
  expect(
    await firstOf(
      'subscription { notes { a: myNote_of_mine { noteId } b: myNote_of_mine { noteId } } }',
    ),
  ).toMatchObject([{ message: 'subscriptions must select one top level field' }])
})

test('a query that selects a namespace twice returns more fields than one statement can have columns', async () => {
  const many = Array.from({ length: 1_000 }, (_, i) => `f${i}: myNote_of_mine(limit: 1) { noteId }`)
  const query = `{ one: notes { ${many.join(' ')} } two: notes { ${many.join(' ')} } }`
  const { body } = await engine.graphql(query)
  const expected = Object.fromEntries(many.map((_, i) => [`f${i}`, [{ noteId: 1 }]]))
  expect(body).toEqual({ data: { one: expected, two: expected } })
})
