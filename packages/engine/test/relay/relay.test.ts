import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { openReadySocket } from '../support/socket.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

const PATH = '/v1beta1/relay'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table author (id int primary key, name text not null, owner text not null);
    create table book (id int primary key, author_id int not null references author, title text not null);
    create table doc (body jsonb primary key);
    insert into author select n, 'author ' || n, case when n % 2 = 0 then 'even' else 'odd' end from generate_series(1, 3000) n;
    insert into book select n, 1 + n % 3000, 'book ' || n from generate_series(1, 9000) n;
    analyze author, book`)
  engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
    HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'reader',
    ENGINE_CALLER_MAX_COST: '2000',
  })
  const readers = ['reader', 'user']
  const owned = { owner: { _eq: 'X-Hasura-Owner' } }
  const authors = readers.map((role) => ({
    role,
    permission: { columns: ['id', 'name'], filter: role === 'user' ? owned : {} },
  }))
  const books = readers.map((role) => ({
    role,
    permission: { columns: '*', filter: role === 'user' ? { author: owned } : {} },
  }))
  const replacement = await engine.post(
    '/v1/metadata',
    replace(
      metadata([
        table('author', {
          select_permissions: authors,
          array_relationships: [
            {
              name: 'books',
              using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } },
            },
          ],
        }),
        table('book', {
          select_permissions: books,
          object_relationships: [
            { name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
          ],
        }),
        table('doc'),
      ]),
    ),
  )
  expect(replacement.status).toBe(200)
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const asUser = (owner: string) => ({ 'x-hasura-role': 'user', 'x-hasura-owner': owner })
const relay = (query: string, variables: object = {}, headers: Record<string, string> = {}) =>
  engine.post(PATH, { query, variables }, headers)
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const message = (body: unknown) => ({ body, text: JSON.stringify(body) }).text

const Names =
  'query ($first: Int, $after: String) { author_connection(first: $first, after: $after) { edges { node { name } } pageInfo { hasNextPage endCursor } } }'

describe('the Relay endpoint serves its schema', () => {
  test('the Relay endpoint and /v1/graphql have different schemas for one role', async () => {
    const query = '{ __schema { queryType { fields { name } } } }'
    const graphqlSchema = await engine.graphql(query)
    const relaySchema = await relay(query)
    expect(message(graphqlSchema.body)).toContain('author_by_pk')
    expect(message(relaySchema.body)).not.toContain('author_by_pk')
    expect(message(relaySchema.body)).toContain('author_connection')
    expect((await engine.graphql(query)).text).toBe(graphqlSchema.text)
  })

  test('the Relay endpoint answers a batch', async () => {
    const one = { query: '{ author_connection(first: 1) { edges { node { name } } } }' }
    const { body } = await engine.post(PATH, [one, { query: '{ author { name } }' }])
    expect(body).toMatchObject([
      { data: { author_connection: { edges: [{ node: { name: 'author 1' } }] } } },
      { errors: [{ extensions: { path: '$.selectionSet.author' } }] },
    ])
  })

  test('pages give every row once', async () => {
    const names: string[] = []
    let after: string | null = null
    for (let page = 0; page < 4; page += 1) {
      const { body }: { body: unknown } = await relay(Names, { first: 500, after }, asUser('even'))
      const connection = connectionOf(body)
      names.push(...connection.edges.map(({ node }) => node.name))
      expect(connection.pageInfo.hasNextPage).toBe(page < 2)
      after = connection.pageInfo.endCursor
    }
    expect(names).toEqual(Array.from({ length: 1500 }, (_, i) => `author ${2 * i + 2}`))
  })
})

type Connection = {
  edges: { node: { name: string } }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

function connectionOf(body: unknown): Connection {
  const { data }: { data: { author_connection: Connection } } = JSON.parse(JSON.stringify(body))
  return data.author_connection
}

describe('Relay connections can be subscribed to', () => {
  test("a subscription follows a page and a node within the role's permissions", async () => {
    const headers = { 'x-hasura-admin-secret': ADMIN_SECRET, ...asUser('late') }
    const ws = await openReadySocket(engine.url, headers, 'graphql-transport-ws', PATH)
    const subscribe = (id: string, query: string) =>
      ws.send({ type: 'subscribe', id, payload: { query } })
    subscribe('page', 'subscription { author_connection(last: 1) { edges { node { id name } } } }')
    expect(await ws.next()).toEqual({
      type: 'next',
      id: 'page',
      payload: { data: { author_connection: { edges: [] } } },
    })
    await db.query(`insert into author values (5000, 'late one', 'late'), (5001, 'hidden', 'odd')`)
    const id = encode([1, 'public', 'author', 5000])
    const payload = (await ws.next()).payload
    expect(message(payload)).toContain('late one')
    ws.send({ type: 'complete', id: 'page' })
    subscribe('row', `subscription { node(id: "${id}") { ... on author { name } } }`)
    expect(await ws.next()).toEqual({
      type: 'next',
      id: 'row',
      payload: { data: { node: { name: 'late one' } } },
    })
    await db.query(`update author set owner = 'odd' where id = 5000`)
    expect((await ws.next()).payload).toEqual({ data: { node: null } })
    await db.query('delete from author where id >= 5000')
    ws.ws.close()
  })
})

describe('Relay queries of a caller are limited', () => {
  const asCaller = (query: string, variables: object = {}) => {
    return fetch(`${engine.url}${PATH}`, {
      method: 'POST',
      body: JSON.stringify({ query, variables }),
    }).then((response) => response.json())
  }

  test('a caller can read a page near the start or the end within its cost limit', async () => {
    for (const after of [null, encode({ id: 2 }), encode({ id: 2900 })])
      expect(await asCaller(Names, { first: 20, after })).toMatchObject({ data: {} })
  })

  test('a too costly Relay query of a caller is rejected', async () => {
    const query =
      '{ author_connection { edges { node { books_connection { edges { node { author { books { title } } } } } } } } }'
    expect(await asCaller(query)).toMatchObject({
      errors: [{ extensions: { code: 'query-too-costly' } }],
    })
  })

  test('a Relay query of a caller with too many fields is rejected', async () => {
    const fields = Array.from({ length: 600 }, (_, i) => `a${i}: node(id: "x") { id }`).join(' ')
    expect(await asCaller(`{ ${fields} }`)).toMatchObject({ errors: [{}] })
  })
})
