import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table secret (id int primary key, owner text, line text);
    create table doc (body jsonb primary key);
    insert into secret values (1, 'mine', 'a'), (2, 'theirs', 'b');
    insert into doc values ('{"a": 1}')`)
  engine = await serveEngineHere(db.url)
  const permission = { columns: ['id', 'line'], filter: { owner: { _eq: 'X-Hasura-User-Id' } } }
  const tables = [
    table('secret', { select_permissions: [{ role: 'user', permission }] }),
    table('doc'),
  ]
  expect((await engine.post('/v1/metadata', replace(metadata(tables)))).status).toBe(200)
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const user = { 'x-hasura-role': 'user', 'x-hasura-user-id': 'mine' }
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

/** Returns the response for an id, which must be the same for a variable and a literal. */
async function answerOf(id: string, headers: Record<string, string> = {}) {
  const fields = '{ __typename ... on secret { line } ... on doc { body } }'
  const ask = (query: string, variables: object) =>
    engine.post('/v1beta1/relay', { query, variables }, headers)
  const bound = await ask(`query ($id: ID!) { node(id: $id) ${fields} }`, { id })
  const written = await ask(`{ node(id: ${JSON.stringify(id)}) ${fields} }`, {})
  expect(written.text).toBe(bound.text)
  return bound
}

async function cursorAnswer(after: string, of = 'secret') {
  const query = `query ($after: String) { ${of}_connection(after: $after) { edges { cursor } } }`
  return engine.post('/v1beta1/relay', { query, variables: { after } })
}

const expectAlive = async () =>
  expect((await answerOf(base64('[1,"public","secret",1]'), user)).body).toEqual({
    data: { node: { __typename: 'secret', line: 'a' } },
  })

describe('the id of node is not trusted', () => {
  test('an id does not reveal whether a hidden row exists', async () => {
    const hidden = await answerOf(base64('[1,"public","secret",2]'), user)
    const missing = await answerOf(base64('[1,"public","secret",3]'), user)
    expect(hidden.text).toBe(missing.text)
    expect(hidden.body).toEqual({ data: { node: null } })
  })

  test('an id does not reveal whether a hidden table exists', async () => {
    const hidden = await answerOf(base64('[1,"public","doc","{}"]'), user)
    const missing = await answerOf(base64('[1,"public","dog","{}"]'), user)
    expect(hidden.text).toBe(missing.text.replace('dog', 'doc'))
  })

  test.each([
    ['of a system table of PostgreSQL', '[1,"pg_catalog","pg_authid",1]'],
    ['with SQL for a name', '[1,"public","secret\\" where true --",1]'],
    ['with SQL for a key', '[1,"public","secret","1) or (1=1"]'],
    ['with an object for a key', '[1,"public","secret",{"text":"1"}]'],
    ['with built-in names of JavaScript', '[1,"__proto__","constructor",1]'],
    ['with an object that has __proto__', '{"__proto__":[1,"public","secret",1]}'],
    ['with the version as a list', '[[1],"public","secret",1]'],
    ['with a number too large for any type', '[1,"public","secret",1e999999]'],
    ['with a zero byte', '[1,"public","secret","\\u0000"]'],
    ['that is truncated', '[1,"public","sec'],
    ['with a surplus bracket', '[1,"public","secret",1]]'],
  ])('an id %s is rejected', async (_, text) => {
    const { status, body } = await answerOf(base64(text))
    expect(status).toBe(200)
    expect(body).toMatchObject({ errors: [{ message: expect.any(String) }] })
    await expectAlive()
  })

  test('an id of bytes that are not UTF-8 is shown in the error as in Hasura', async () => {
    const { body } = await answerOf(base64(Buffer.from([0x01, 0x7f, 0x31, 0xff, 0x22, 0x5c, 0x41])))
    expect(body).toMatchObject({
      errors: [
        { message: 'invalid node id: Unexpected "\\SOH\\DEL1\\255\\"\\\\A", expecting JSON value' },
      ],
    })
  })

  test.each([
    ['nested', `[1,"public","doc",${'['.repeat(200_000)}${']'.repeat(200_000)}]`],
    ['never closed', '['.repeat(500_000)],
    ['long', JSON.stringify([1, 'public', 'doc', 'x'.repeat(500_000)])],
    ['full of escapes', `[1,"public","doc","${'\\n'.repeat(200_000)}`],
    ['full of values', JSON.stringify([1, 'public', 'secret', ...Array(100_000).keys()])],
  ])('a huge id that is %s is answered within 5 seconds', async (_, text) => {
    const began = performance.now()
    const { status, body } = await answerOf(base64(text))
    expect(status).toBe(200)
    expect(JSON.stringify(body).length).toBeLessThan(text.length + 2_000)
    expect(performance.now() - began).toBeLessThan(5_000)
    await expectAlive()
  })
})

describe('a cursor is not trusted', () => {
  test.each([
    '',
    'null',
    '[]',
    '"id"',
    '{"__proto__":{"id":1}}',
    '{"ID":1}',
    '{"id"',
    `${'{"id":'.repeat(100_000)}1${'}'.repeat(100_000)}x`,
  ])('the cursor %.20s is rejected', async (text) => {
    expect((await cursorAnswer(base64(text))).body).toEqual({
      errors: [
        {
          message: 'the "after" or "before" cursor is invalid',
          extensions: { path: '$.selectionSet.secret_connection.args', code: 'validation-failed' },
        },
      ],
    })
    await expectAlive()
  })

  test('SQL text in a cursor is not executed', async () => {
    const { body } = await cursorAnswer(base64('{"id":"0) or (1=1"}'))
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] })
  })

  test('a cursor with a document nested 200,000 deep does not harm the engine', async () => {
    const deep = `{"body":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    expect((await cursorAnswer(base64(deep), 'doc')).status).toBe(200)
    await expectAlive()
  })
})
