import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { serveEngineHere } from '../support/serve-here.ts'
import { type EngineAnswer, readAnswer } from '../support/start-engine.ts'
import {
  KEEPING_TABLES,
  RELATED_ZOO,
  startZoo,
  type Zoo,
  zooReply,
  zooSchema,
} from '../support/zoo.ts'

let zoo: Zoo

beforeAll(async () => {
  zoo = await startZoo({
    ENGINE_CALLER_MAX_ANSWER_BYTES: '20000',
    HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'user',
  })
})
afterAll(() => zoo?.stop())
beforeEach(async () => {
  zoo.reply = zooReply
  expect((await zoo.use([RELATED_ZOO], KEEPING_TABLES)).status).toBe(200)
})

/** Sends a query without the admin secret. */
async function askAsCaller(query: string): Promise<EngineAnswer> {
  const body = JSON.stringify({ query })
  const headers = { 'content-type': 'application/json' }
  return readAnswer(await fetch(`${zoo.engine.url}/v1/graphql`, { method: 'POST', headers, body }))
}

test('the remote schema of a server that is down is inconsistent until it is reloaded, and tables are still served', async () => {
  const definition = { type: 'reload_metadata', args: { reload_remote_schemas: true } }
  zoo.reply = () => ({ status: 503, body: 'down' })
  expect((await zoo.metadata(definition)).body).toMatchObject({
    is_consistent: false,
    inconsistent_objects: expect.arrayContaining([
      expect.objectContaining({ type: 'remote_schema', name: 'remote_schema zoo' }),
    ]),
  })
  expect((await zoo.engine.graphql('{ person_by_pk(id: 1) { name } }')).body).toEqual({
    data: { person_by_pk: { name: 'Ann' } },
  })
  expect((await zoo.engine.graphql('{ keeper(id: 1) { id } }')).text).toContain(
    "field 'keeper' not found",
  )
  zoo.reply = zooReply
  const reloaded = await zoo.metadata({ type: 'reload_remote_schema', args: { name: 'zoo' } })
  expect(reloaded.body).toEqual({ message: 'success' })
  expect((await zoo.engine.graphql('{ keeper(id: 1) { person { name } } }')).body).toEqual({
    data: { keeper: { person: { name: 'Ann' } } },
  })
})

test('an engine starts although its remote servers do not answer', async () => {
  const other = await serveEngineHere(zoo.databaseUrl, { ZOO_URL: 'http://127.0.0.1:1' })
  expect((await other.graphql('{ person_by_pk(id: 1) { name } }')).body).toEqual({
    data: { person_by_pk: { name: 'Ann' } },
  })
  const args = { type: 'get_inconsistent_metadata', args: {} }
  expect(JSON.stringify((await other.post('/v1/metadata', args)).body)).toContain(
    'Inconsistent object: HTTP exception occurred while sending the request to \\"http://127.0.0.1:1\\"',
  )
  await other.stop()
})

test('changes of tables do not introspect remote servers again', async () => {
  const before = zoo.remote.received.length
  const args = { table: 'person', is_enum: false }
  await zoo.metadata({ type: 'pg_set_table_customization', args: { ...args, configuration: {} } })
  await zoo.engine.post('/v2/query', { type: 'run_sql', args: { sql: 'create table fresh ()' } })
  expect(zoo.remote.received.length).toBe(before)
})

const errorOf = async (query: string) => {
  const { body } = await zoo.engine.graphql(query)
  const [
    {
      message,
      extensions: { code },
    },
  ] = Object(body).errors
  return { message, code }
}

test.each([
  ['a response that is not JSON', 'oops', 'Failed reading: not a valid json value'],
  ['a response that is a list', '[]', 'the response of the remote schema is not an object'],
  [
    'a response with neither data nor errors',
    '{}',
    'the response of the remote schema has neither data nor errors',
  ],
])('a query of a remote schema gets remote-schema-error for %s', async (_what, body, message) => {
  zoo.reply = () => ({ status: 200, body })
  const expected = { message, code: 'remote-schema-error' }
  expect(await errorOf('{ keeper(id: 1) { id } }')).toEqual(expected)
  expect(await errorOf('{ person { keeper { id } } }')).toEqual(expected)
})

test('redirects of a remote server are not followed', async () => {
  const headers = { location: `${zoo.remote.url}/elsewhere` }
  zoo.reply = ({ url }) =>
    (url === '/elsewhere' ? zooReply : () => ({ status: 307, body: '', headers }))({
      method: 'POST',
      url,
      headers: {},
      body: {},
      text: '',
    })
  expect(await errorOf('{ keeper(id: 1) { id } }')).toMatchObject({ code: 'remote-schema-error' })
})

test.each([
  ['null', null, { keeper: null }],
  ['null for its field', { keeper: null }, { keeper: null }],
  ['another field', { other: 1 }, { keeper: null }],
  ['a string instead of an object', { keeper: 'x' }, { keeper: 'x' }],
  ['a list instead of an object', { keeper: [{ id: 1 }] }, { keeper: [{ id: 1, person: null }] }],
  [
    'an object with an extra field',
    { keeper: { id: 1, b: 2 } },
    { keeper: { id: 1, person: null } },
  ],
])('remote data that is %s is returned as far as it was selected', async (_what, data, shown) => {
  zoo.reply = () => ({ status: 200, body: { data } })
  const { body } = await zoo.engine.graphql('{ keeper(id: 1) { id person { name } } }')
  expect(body).toEqual({ data: shown })
})

test('a remote value of the wrong type gets data-exception and is not run as SQL', async () => {
  const key = "1'; drop table person; --"
  zoo.reply = () => ({ status: 200, body: { data: { keeper: { hasura_left_Keeper_id: key } } } })
  expect(await errorOf('{ keeper(id: 1) { person { name } } }')).toMatchObject({
    code: 'data-exception',
  })
  expect((await zoo.engine.graphql('{ person { name } }')).body).toMatchObject({
    data: { person: [{}, {}, {}] },
  })
})

test('nested selections on recursive interfaces are limited', async () => {
  const node = { kind: 'INTERFACE', name: 'Node', ofType: null }
  const field = { name: 'next', args: [], type: node }
  const members = Array.from({ length: 10 }, (_, i) => ({ name: `Node${i}` }))
  const types = [
    { kind: 'OBJECT', name: 'Query', fields: [field] },
    { kind: 'INTERFACE', name: 'Node', fields: [field], possibleTypes: members },
    ...members.map(({ name }) => ({ kind: 'OBJECT', name, fields: [field], interfaces: [node] })),
  ]
  const data = { __schema: { queryType: { name: 'Query' }, types } }
  zoo.reply = () => ({ status: 200, body: { data } })
  expect((await zoo.use([{ ...zooSchema(), name: 'nodes' }])).text).toBe('{"message":"success"}')
  const query = `{ next { ${'next { '.repeat(12)} __typename ${'} '.repeat(12)} } }`
  const { body } = await askAsCaller(query)
  expect(JSON.stringify(body)).toContain(
    'the selections on interfaces and unions have too many types',
  )
})

test('a request to a remote server that exceeds its timeout gets remote-schema-error', async () => {
  await zoo.use([zooSchema({ timeout_seconds: 0.2 })])
  let answer = () => {}
  const after = new Promise<void>((resolve) => {
    answer = resolve
  })
  zoo.reply = () => ({ status: 200, body: {}, after })
  expect(await errorOf('{ keeper(id: 1) { id } }')).toEqual({
    message: `HTTP exception occurred while sending the request to "${zoo.remote.url}"`,
    code: 'remote-schema-error',
  })
  answer()
})

test('a request that waits for a remote server occupies no connection to the database', async () => {
  const release: (() => void)[] = []
  zoo.reply = (request) => ({
    ...zooReply(request),
    after: new Promise<void>((resolve) => release.push(resolve)),
  })
  const waiting = Array.from({ length: 60 }, () =>
    zoo.engine.graphql('{ person_by_pk(id: 1) { keeper { name } } }'),
  )
  const before = zoo.remote.received.length
  await zoo.remote.waitForRequests(before + waiting.length)
  expect((await zoo.engine.graphql('{ person_by_pk(id: 1) { name } }')).body).toEqual({
    data: { person_by_pk: { name: 'Ann' } },
  })
  for (const one of release) one()
  for (const { body } of await Promise.all(waiting))
    expect(body).toEqual({ data: { person_by_pk: { keeper: { name: 'Ann' } } } })
})

test('remote responses to a caller count toward its response size limit', async () => {
  const name = 'x'.repeat(15_000)
  zoo.reply = ({ text }) => ({
    status: 200,
    body: { data: { [text.includes('other') ? 'other' : 'keeper']: { name } } },
  })
  expect((await askAsCaller('{ keeper(id: 1) { name } }')).body).toEqual({
    data: { keeper: { name } },
  })
  const both = '{ keeper(id: 1) { name } other: keeper(id: 2) { name } }'
  expect((await askAsCaller(both)).body).toMatchObject({
    errors: [{ extensions: { code: 'query-too-costly' } }],
  })
  zoo.reply = () => ({ status: 200, body: { data: { keeper: { name: name + name } } } })
  expect((await askAsCaller('{ keeper(id: 1) { name } }')).body).toMatchObject({
    errors: [{ extensions: { code: 'remote-schema-error' } }],
  })
  const { body } = await zoo.engine.graphql('{ keeper(id: 1) { name } }')
  expect(body).toEqual({ data: { keeper: { name: name + name } } })
})

test('a subscription to a remote schema is rejected, as in Hasura', async () => {
  const { body } = await zoo.engine.graphql('subscription { keeper(id: 1) { id } }')
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
})
