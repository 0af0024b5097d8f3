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
    create table thing (id int primary key, "constructor" text, "toString" text, doc jsonb);
    insert into thing values (1, 'mine', 'a', '{}'), (2, 'theirs', 'b', '{}')`)
  engine = await serveEngineHere(db.url)
  const permission = {
    columns: ['id', 'constructor', 'toString'],
    filter: { constructor: { _eq: 'X-Hasura-User-Id' } },
  }
  await engine.post(
    '/v1/metadata',
    replace(metadata([table('thing', { select_permissions: [{ role: 'user', permission }] })])),
  )
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const user = { 'x-hasura-role': 'user', 'x-hasura-user-id': 'mine' }
const expectAlive = async () =>
  expect((await engine.graphql('{ thing_by_pk(id: 1) { id } }')).body).toEqual({
    data: { thing_by_pk: { id: 1 } },
  })

describe("names of JavaScript's built-in properties are ordinary names", () => {
  test('built-in names work as columns, conditions, orders, aliases and variables', async () => {
    const query = `query ($constructor: String) {
      constructor: thing(where: {constructor: {_eq: $constructor}, toString: {_neq: "x"}}, order_by: {toString: asc}) {
        __proto__: id constructor hasOwnProperty: toString
      } }`
    const { text } = await engine.graphql(query, { constructor: 'mine' }, user)
    expect(text).toBe(
      '{"data":{"constructor":[{"__proto__":1,"constructor":"mine","hasOwnProperty":"a"}]}}',
    )
  })

  test('built-in names work as columns of permissions', async () => {
    expect((await engine.graphql('{ thing { id } }', {}, user)).body).toEqual({
      data: { thing: [{ id: 1 }] },
    })
  })

  test.each([
    '{ __proto__ }',
    '{ valueOf }',
    '{ thing { valueOf } }',
    '{ thing(__proto__: 1) { id } }',
    '{ thing(valueOf: 1) { id } }',
    '{ thing(where: {__proto__: {_eq: 1}}) { id } }',
    '{ thing(where: {id: {constructor: 1}}) { id } }',
    '{ thing(order_by: {id: constructor}) { id } }',
    '{ thing(order_by: {valueOf: asc}) { id } }',
    '{ thing { id @constructor } }',
    '{ thing { id @__proto__ } }',
    '{ thing { ...valueOf } }',
    'mutation { update_thing(where: {}, constructor: {id: 1}) { affected_rows } }',
    'mutation { insert_thing(objects: {__proto__: 1}) { affected_rows } }',
    'mutation { insert_thing(objects: {id: 1}, on_conflict: {constraint: constructor}) { affected_rows } }',
  ])('the built-in name in %s is rejected as unknown', async (query) => {
    expect((await engine.graphql(query)).body).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    })
  })

  test('built-in names in variables are ordinary keys', async () => {
    const where = '{"__proto__":{"id":{"_eq":1}}}'
    const query = 'query ($w: thing_bool_exp) { thing(where: $w) { id } }'
    const { body } = await engine.post(
      '/v1/graphql',
      `{"query":"${query}","variables":{"w":${where}}}`,
    )
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
    const doc = '{"__proto__":{"a":1},"constructor":2}'
    const insert = 'mutation ($d: jsonb) { insert_thing_one(object: {id: 9, doc: $d}) { doc } }'
    const { text } = await engine.post(
      '/v1/graphql',
      `{"query":"${insert}","variables":{"d":${doc}}}`,
    )
    expect(text.replaceAll(' ', '')).toBe(`{"data":{"insert_thing_one":{"doc":${doc}}}}`)
  })

  test.each(['constructor', '__proto__', 'toString'])(
    '%s is an unknown role and an unknown command',
    async (name) => {
      const { body } = await engine.graphql('{ thing { id } }', {}, { 'x-hasura-role': name })
      expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
      const command = await engine.post('/v1/metadata', { type: name, args: [] })
      expect(command.body).toMatchObject({ code: 'parse-failed', path: '$' })
    },
  )
})

describe('hostile documents do not harm the engine', () => {
  test.each([
    [
      'selections nested 100,000 deep',
      nest(100_000, '{ thing ', '}', 'id'),
      /too deeply|valid graphql/,
    ],
    [
      'lists nested 50,000 deep',
      `{ thing(where: {id: {_in: ${nest(50_000, '[', ']')}}}) { id } }`,
      /too deeply/,
    ],
    [
      'conditions nested 20,000 deep',
      `{ thing(where: ${nest(20_000, '{_not: ', '}', '{}')}) { id } }`,
      /too deeply/,
    ],
    ['20,001 aliases of one field', `{ ${aliases(20_001)} }`, /too many fields/],
    ['fragments that double 40 times', doubling(40), /too many fields/],
    ['more than a million tokens', `{ thing ${'id '.repeat(1_000_100)} }`, /tokens/],
    [
      'a directive repeated 20,000 times',
      `{ thing { id ${'@skip(if: false) '.repeat(20_000)} } }`,
      /more than once/,
    ],
    [
      'three levels of types in introspection',
      `{ __schema { types { ${nest(3, 'fields { type { ', '} }', 'name ')} } } }`,
      /introspection is nested/,
    ],
    [
      'three levels of types in introspection by fragments',
      `{ __schema { types { ...a } } }
       fragment a on __Type { fields { type { ...b } } }
       fragment b on __Type { inputFields { type { ...c } } }
       fragment c on __Type { possibleTypes { name } }`,
      /introspection is nested/,
    ],
    [
      '334 lists of all types',
      `{ ${Array.from({ length: 334 }, (_, i) => `a${i}: __schema { types { name } }`).join(' ')} }`,
      /too many fields: 1002 > 1000/,
    ],
    [
      'more values than a statement can take',
      `{ thing { doc(path: "$${'.a'.repeat(65_536)}") } }`,
      /too many values: 65536 > 65535/,
    ],
  ])('%s are rejected, and the engine keeps serving', async (_what, query, reason) => {
    const { body } = await engine.graphql(query)
    expect(body).toMatchObject({
      errors: [
        { message: expect.stringMatching(reason), extensions: { code: 'validation-failed' } },
      ],
    })
    await expectAlive()
  })

  test('10,000 declared variables are accepted', async () => {
    const declared = Array.from({ length: 10_000 }, (_, i) => `$v${i}: Int`).join(' ')
    const { body } = await engine.graphql(`query (${declared}) { thing_by_pk(id: 1) { id } }`)
    expect(body).toEqual({ data: { thing_by_pk: { id: 1 } } })
  })

  test.each([
    [
      'root fields than a statement can have columns',
      (many: string) => `{ ${many} }`,
      'thing_by_pk(id: 1) { id }',
    ],
    [
      'fields of a row than a row can have columns',
      (many: string) => `{ thing(limit: 1) { ${many} } }`,
      'id',
    ],
    [
      'aggregates than a function can take arguments',
      (many: string) => `{ thing_aggregate { aggregate { max { ${many} } } } }`,
      'id',
    ],
  ])('a query of more %s is answered', async (_what, within, field) => {
    const many = Array.from({ length: 2_000 }, (_, i) => `a${i}: ${field}`)
    const { body, text } = await engine.graphql(within(many.join(' ')))
    expect(body).toHaveProperty('data')
    expect(text.match(/"a\d+" ?:/g)).toHaveLength(2_000)
  })

  test('__typename keeps its place in a query with more root fields than one statement can return', async () => {
    const many = Array.from({ length: 2_000 }, (_, i) => `a${i}: thing_by_pk(id: ${i}) { id }`)
    many.splice(1_000, 0, 'b: __typename')
    const { body } = await engine.graphql(`{ ${many.join(' ')} }`)
    const data = Object(body).data
    expect(Object.keys(data).slice(999, 1_002)).toEqual(['a999', 'b', 'a1000'])
    expect(data).toMatchObject({ a0: null, a1: { id: 1 }, b: 'query_root', a1999: null })
  })

  test('variables nested 20,000 deep are rejected', async () => {
    const w = nest(20_000, '{"_not":', '}', '{}')
    const query = 'query ($w: thing_bool_exp) { thing(where: $w) { id } }'
    const { body } = await engine.post('/v1/graphql', `{"query":"${query}","variables":{"w":${w}}}`)
    expect(body).toMatchObject({ errors: [{ message: 'the request is nested too deeply' }] })
    await expectAlive()
  })

  test('NUL characters are removed from strings', async () => {
    const query = 'query ($t: String) { thing(where: {constructor: {_eq: $t}}) { id } }'
    const { body } = await engine.graphql(query, { t: 'a\u0000b' })
    expect(body).toEqual({ data: { thing: [] } })
    await expectAlive()
  })

  function aliases(n: number): string {
    return Array.from({ length: n }, (_, i) => `a${i}: thing_by_pk(id: 1) { id }`).join(' ')
  }

  function doubling(n: number): string {
    const fragments = Array.from(
      { length: n },
      (_, i) => `fragment f${i} on thing { ...f${i + 1} ...f${i + 1} }`,
    )
    return `{ thing { ...f0 } } ${fragments.join(' ')} fragment f${n} on thing { id }`
  }
})

function nest(n: number, open: string, close: string, inside = ''): string {
  return open.repeat(n) + inside + close.repeat(n)
}
