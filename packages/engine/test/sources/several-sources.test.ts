import { afterAll, beforeAll, expect, test } from 'vitest'
import { table } from '../support/metadata.ts'
import { openReadySocket } from '../support/socket.ts'
import { source, startTwoSources, type TwoSources } from '../support/sources/two-sources.ts'

let two: TwoSources

beforeAll(async () => {
  two = await startTwoSources()
})
afterAll(() => two?.end())

const CONSISTENT = { is_consistent: true, inconsistent_objects: [] }
const CLERK = { 'x-hasura-role': 'clerk' }

/** The permissions of the role `clerk` on a table. */
const OPEN = {
  select_permissions: [{ role: 'clerk', permission: { columns: '*', filter: {} } }],
  insert_permissions: [{ role: 'clerk', permission: { columns: '*', check: {} } }],
}

const ask = async (query: string, headers = {}, variables = {}) =>
  (await two.engine.graphql(query, variables, headers)).body

function refusal(code: string, message: string | RegExp) {
  const text = typeof message === 'string' ? message : expect.stringMatching(message)
  return { errors: [{ message: text, extensions: { code } }] }
}

test('a query can read several sources and returns its fields in order', async () => {
  const sources = [source('shop', [table('item', OPEN)]), source('stock', [table('shelf', OPEN)])]
  expect(await two.use(sources)).toEqual(CONSISTENT)
  const query = `query ($id: Int!) {
    attic: shelf(where: {place: {_eq: "attic"}}) {id}
    item(order_by: {id: asc}) {name}
    shelf_by_pk(id: $id) {place}
    one: item_by_pk(id: 1) {name}
  }`
  for (const headers of [{}, CLERK, CLERK]) {
    const answer = await ask(query, headers, { id: 12 })
    expect(JSON.stringify(answer)).toBe(
      '{"data":{"attic":[{"id":11}],"item":[{"name":"lamp"},{"name":"desk"}],"shelf_by_pk":{"place":"yard"},"one":{"name":"lamp"}}}',
    )
  }
  expect(await ask('{item {name}}', { 'x-hasura-role': 'nobody' })).toMatchObject(
    refusal('validation-failed', "field 'item' not found in type: 'query_root'"),
  )
})

test('if several sources fail, the error of the first field is returned', async () => {
  const fails = (field: string) => `${field}(where: {id: {_eq: "x"}}) {id}`
  for (const [first, second] of [
    ['item', 'shelf'],
    ['shelf', 'item'],
  ] as const) {
    const both = await ask(`{${fails(first)} ${fails(second)}}`)
    expect(both).toEqual(await ask(`{${fails(first)}}`))
    expect(both).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] })
  }
})

test('a mutation of one source is a transaction, and a mutation of several sources runs field by field', async () => {
  const insert = (id: number, name: string) =>
    `i${id}${name}: insert_item_one(object: {id: ${id}, name: "${name}"}) {id}`
  const put = (id: number, place: string) =>
    `s${id}${place}: insert_shelf_one(object: {id: ${id}, place: "${place}"}) {id}`
  expect(await ask(`mutation {${insert(3, 'a')} ${insert(3, 'b')}}`)).toMatchObject(
    refusal('constraint-violation', /^Uniqueness violation/),
  )
  expect(await ask(`mutation {${put(20, 'a')} ${insert(3, 'b')}}`, CLERK)).toEqual({
    data: { s20a: { id: 20 }, i3b: { id: 3 } },
  })
  // The first two inserts are kept, and the last is not tried.
  const fields = `${insert(4, 'c')} ${put(21, 'b')} ${put(21, 'c')} ${insert(5, 'd')}`
  expect(await ask(`mutation {${fields}}`)).toMatchObject(
    refusal('constraint-violation', /^Uniqueness violation/),
  )
  expect(await ask('{item(order_by: {id: asc}) {id} shelf(where: {id: {_gte: 20}}) {id}}')).toEqual(
    { data: { item: [1, 2, 3, 4].map((id) => ({ id })), shelf: [{ id: 20 }, { id: 21 }] } },
  )
  await two.shop.query('delete from item where id > 2')
  await two.stock.query('delete from shelf where id >= 20')
})

test('a subscription is limited to one source and one field', async () => {
  const socket = await openReadySocket(two.engine.url)
  socket.send({ type: 'subscribe', id: 'a', payload: { query: 'subscription {shelf {place}}' } })
  expect(await socket.next()).toMatchObject({
    type: 'next',
    payload: { data: { shelf: [{ place: 'cellar' }, { place: 'attic' }, { place: 'yard' }] } },
  })
  await two.stock.query("update shelf set place = 'roof' where id = 11")
  expect(await socket.next()).toMatchObject({ type: 'next', id: 'a' })
  socket.send({ type: 'complete', id: 'a' })
  const query = 'subscription {item {name} shelf {place}}'
  socket.send({ type: 'subscribe', id: 'b', payload: { query } })
  expect(await socket.next()).toMatchObject({
    type: 'error',
    payload: [{ message: 'subscriptions must select one top level field' }],
  })
  socket.ws.close()
  await two.stock.query("update shelf set place = 'attic' where id = 11")
})

test("a source's namespace and prefix avoid conflicts, and equal types are shared", async () => {
  await two.stock.query('create table item (id int primary key, name text not null)')
  await two.stock.query("insert into item values (7, 'spare')")
  const spare = { root_fields: { namespace: 'spare', prefix: 'the_' } }
  const sources = [
    source('shop', [table('item', OPEN)]),
    source('stock', [table('item', OPEN)], { customization: spare }),
  ]
  expect(await two.use(sources)).toEqual(CONSISTENT)
  const query = '{spare {the_item {id __typename}} item(limit: 1) {id __typename}}'
  for (const headers of [{}, CLERK])
    expect(await ask(query, headers)).toEqual({
      data: {
        spare: { the_item: [{ id: 7, __typename: 'item' }] },
        item: [{ id: 1, __typename: 'item' }],
      },
    })
})

test.each([
  [
    'the same root field',
    {},
    /^Encountered conflicting definitions in the selection set for 'query_root' for field 'item' defined in \[table item in source stock, table item in source shop\]/,
  ],
  [
    'different types of one name',
    { root_fields: { prefix: 'stock_' } },
    /^Found conflicting definitions for GraphQL type 'item/,
  ],
])('metadata with %s in two sources is rejected', async (_what, customization, message) => {
  await two.stock.query('alter table item add column if not exists weight int')
  const metadata = {
    version: 3,
    sources: [source('shop', [table('item')]), source('stock', [table('item')], { customization })],
  }
  const rejection = await two.engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: { metadata },
  })
  expect(rejection.body).toMatchObject({
    code: 'unexpected',
    error: expect.stringMatching(message),
  })
  // If inconsistent metadata is allowed, the later source is left out.
  expect(await two.use(metadata.sources)).toMatchObject({ is_consistent: false })
  expect(await ask('{item {name}}')).toMatchObject({ data: { item: [{ name: 'lamp' }, {}] } })
  expect(await ask('{stock_item {weight}}')).toHaveProperty('errors')
})

test('types that differ only in the schema of a role also conflict', async () => {
  await two.stock.query('alter table item drop column if exists weight')
  const hidden = {
    select_permissions: [{ role: 'clerk', permission: { columns: ['id'], filter: {} } }],
  }
  const twoItemSources = (stock: object, rest: object) => [
    source('shop', [table('item', OPEN)]),
    source('stock', [table('item', stock)], {
      customization: { root_fields: { prefix: 'b_' }, ...rest },
    }),
  ]
  expect(await two.use(twoItemSources(hidden, {}))).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: 'source', name: 'source stock' }],
  })
  const prefix = { type_names: { prefix: 'b_' } }
  expect(await two.use(twoItemSources(hidden, prefix))).toEqual(CONSISTENT)
  expect(await ask('{b_item {id __typename}}', CLERK)).toEqual({
    data: { b_item: [{ id: 7, __typename: 'b_item' }] },
  })
  await two.stock.query('drop table item')
})

test('an unreachable source is inconsistent, and the others are served', async () => {
  const nowhere = {
    connection_info: { database_url: 'postgres://nobody@127.0.0.1:9/none' },
  }
  const sources = [
    source('shop', [table('item')]),
    source('gone', [table('ship')], { configuration: nowhere }),
    source('stock', [table('shelf')]),
  ]
  expect(await two.use(sources)).toEqual({
    is_consistent: false,
    inconsistent_objects: [
      {
        type: 'source',
        name: 'source gone',
        definition: 'gone',
        reason: 'Inconsistent object: connection error',
      },
    ],
  })
  expect(await ask('{item(limit: 1) {id} shelf(limit: 1) {id}}')).toEqual({
    data: { item: [{ id: 1 }], shelf: [{ id: 10 }] },
  })
  expect(await two.command('drop_inconsistent_metadata', {})).toEqual({ message: 'success' })
  expect(await two.command('get_inconsistent_metadata', {})).toEqual(CONSISTENT)
  const { metadata } = Object(await two.command('export_metadata', {}))
  expect(metadata.sources.map(({ name }: { name: string }) => name)).toEqual(['shop', 'stock'])
})

test('two sources can use one database and track the same table', async () => {
  const sources = [
    source('shop', [table('item')]),
    source('again', [table('item')], { customization: { root_fields: { prefix: 'again_' } } }),
  ]
  expect(await two.use(sources)).toEqual(CONSISTENT)
  expect(await ask('{item(limit: 1) {id} again_item(limit: 1) {id}}')).toEqual({
    data: { item: [{ id: 1 }], again_item: [{ id: 1 }] },
  })
})

test('relationships to another source return rows that the role can read there', async () => {
  const to = (name: string, of: string, type: string, mapping: object) => ({
    name,
    definition: {
      to_source: {
        source: of === 'shelf' ? 'stock' : 'shop',
        table: { schema: 'public', name: of },
        relationship_type: type,
        field_mapping: mapping,
      },
    },
  })
  const shelves = to('shelves', 'shelf', 'array', { id: 'item_id' })
  const item = to('item', 'item', 'object', { item_id: 'id' })
  const some = {
    select_permissions: [
      {
        role: 'clerk',
        permission: { columns: ['place'], filter: { place: { _neq: 'cellar' } } },
      },
    ],
  }
  const use = (shelfPermissions: object) =>
    two.use([
      source('shop', [table('item', { ...OPEN, remote_relationships: [shelves] })]),
      source('stock', [table('shelf', { ...shelfPermissions, remote_relationships: [item] })]),
    ])
  expect(await use(some)).toEqual(CONSISTENT)
  const query = '{item(order_by: {id: asc}) {name shelves(order_by: {id: asc}) {place}}}'
  expect(await ask(query)).toEqual({
    data: {
      item: [
        { name: 'lamp', shelves: [{ place: 'cellar' }, { place: 'attic' }] },
        { name: 'desk', shelves: [{ place: 'yard' }] },
      ],
    },
  })
  expect(await ask('{item(order_by: {id: asc}) {shelves {place}}}', CLERK)).toEqual({
    data: { item: [{ shelves: [{ place: 'attic' }] }, { shelves: [{ place: 'yard' }] }] },
  })
  const shelvesQuery =
    '{shelf(order_by: {id: asc}) {id item {name shelves_aggregate {aggregate {count}}}}}'
  expect(await ask(shelvesQuery)).toMatchObject({
    data: {
      shelf: [
        { id: 10, item: { name: 'lamp', shelves_aggregate: { aggregate: { count: 2 } } } },
        { id: 11 },
        { id: 12, item: { name: 'desk', shelves_aggregate: { aggregate: { count: 1 } } } },
      ],
    },
  })
  // A role that cannot read the other table has no such field.
  expect(await use({})).toEqual(CONSISTENT)
  expect(await ask('{item {shelves {place}}}', CLERK)).toMatchObject(
    refusal('validation-failed', "field 'shelves' not found in type: 'item'"),
  )
})
