import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runSql } from '../support/metadata.ts'
import { openReadySocket } from '../support/socket.ts'
import { KEEPING_TABLES, RELATED_ZOO, startZoo, type Zoo, zooReply } from '../support/zoo.ts'

let zoo: Zoo

beforeAll(async () => {
  zoo = await startZoo()
  expect((await zoo.use([RELATED_ZOO], KEEPING_TABLES)).text).toBe('{"message":"success"}')
})
afterAll(() => zoo?.stop())
beforeEach(() => {
  zoo.reply = zooReply
  zoo.takeQueries()
})

test("a table's rows are joined by one remote request, with each value once", async () => {
  const { text } = await zoo.engine.graphql(
    '{ visit(order_by: {id: asc}) { id person { keeper { name } } } }',
  )
  expect(text).toBe(
    '{"data":{"visit":[{"id":1,"person":{"keeper":{"name":"Ann"}}},{"id":2,"person":{"keeper":{"name":"Ben"}}},{"id":3,"person":{"keeper":{"name":"Ann"}}}]}}',
  )
  expect(zoo.takeQueries()).toEqual([
    'query ($hasura_json_var_1: Int!,$hasura_json_var_2: Int!) { join_0: keeper(id: $hasura_json_var_1) { name  } join_1: keeper(id: $hasura_json_var_2) { name  } }',
  ])
})

test('the nodes of a Relay connection are joined, and do not show the columns that the join reads', async () => {
  const query =
    '{ visit_connection(first: 2) { edges { node { person { name keeper { name } } } } } person_connection(last: 2) { pageInfo { hasPreviousPage } e: edges { n: node { k: keeper { id } } } } }'
  const role = { 'x-hasura-role': 'admin' }
  const { body } = await zoo.engine.post('/v1beta1/relay', { query }, role)
  expect(body).toEqual({
    data: {
      visit_connection: {
        edges: [
          { node: { person: { name: 'Ann', keeper: { name: 'Ann' } } } },
          { node: { person: { name: 'Ben', keeper: { name: 'Ben' } } } },
        ],
      },
      person_connection: {
        pageInfo: { hasPreviousPage: true },
        e: [{ n: { k: { id: 2 } } }, { n: { k: null } }],
      },
    },
  })
})

test('a renamed column is renamed in remote relationships', async () => {
  const sql = (text: string) => zoo.engine.post('/v2/query', runSql(text))
  expect((await sql('alter table person rename column id to pid')).status).toBe(200)
  const { text } = await zoo.engine.graphql(
    '{ person(where: {pid: {_eq: 1}}) { pid keeper { name } } keeper(id: 1) { person { pid } } }',
  )
  expect((await sql('alter table person rename column pid to id')).status).toBe(200)
  expect(text).toBe(
    '{"data":{"person":[{"pid":1,"keeper":{"name":"Ann"}}],"keeper":{"person":{"pid":1}}}}',
  )
})

test('a missing remote object is null, and the columns of its row are returned', async () => {
  const { text } = await zoo.engine.graphql(
    '{ person(order_by: {id: asc}) { price k: keeper { id } } }',
  )
  expect(text).toBe(
    '{"data":{"person":[{"price":1.5,"k":{"id":1}},{"price":3,"k":{"id":2}},{"price":null,"k":null}]}}',
  )
})

test('a relationship to a nested field returns that field and takes the remaining arguments', async () => {
  const query = `query($w: Float, $n: Int) {
    person(order_by: {id: asc}) { hunters(filter: {minWeight: $w}, limit: $n) { name notes(limit: 1) } }
  }`
  const { body } = await zoo.engine.graphql(query, { w: 20, n: 5 })
  expect(body).toEqual({
    data: {
      person: [{ hunters: [{ name: 'Bo', notes: ['x'] }] }, { hunters: [] }, { hunters: null }],
    },
  })
  expect(zoo.takeQueries()).toHaveLength(1)
})

test('remote rows are joined with rows of tables, and with remote fields by one more remote request', async () => {
  const { text } = await zoo.engine.graphql(
    '{ animals { boss { name } visits(order_by: {id: desc}) { id person { name } } name visits_aggregate { aggregate { count } } } }',
  )
  expect(text).toBe(
    '{"data":{"animals":[{"boss":{"name":"Ann"},"visits":[{"id":2,"person":{"name":"Ben"}},{"id":1,"person":{"name":"Ann"}}],"name":"Asra","visits_aggregate":{"aggregate":{"count":2}}},{"boss":{"name":"Ann"},"visits":[{"id":3,"person":{"name":"Ann"}}],"name":"Bo","visits_aggregate":{"aggregate":{"count":1}}},{"boss":{"name":"Ben"},"visits":[],"name":"Cleo","visits_aggregate":{"aggregate":{"count":0}}}]}}',
  )
  expect(zoo.takeQueries()).toHaveLength(2)
})

test('remote relationships work below unions and below other remote relationships', async () => {
  const { body } = await zoo.engine.graphql(
    `{ find(text: "n") { __typename ... on Animal { visits { id } } ... on Keeper { person { id keeper { name } } } } }`,
  )
  expect(body).toEqual({
    data: {
      find: [
        { __typename: 'Keeper', person: { id: 1, keeper: { name: 'Ann' } } },
        { __typename: 'Keeper', person: { id: 2, keeper: { name: 'Ben' } } },
      ],
    },
  })
  expect(zoo.takeQueries()).toHaveLength(2)
})

test("remote relationships work in a mutation's response", async () => {
  const { body } = await zoo.engine.graphql(
    'mutation { update_person(where: {id: {_eq: 2}}, _set: {name: "Ben"}) { affected_rows returning { name keeper { name } } } }',
  )
  expect(body).toEqual({
    data: {
      update_person: {
        affected_rows: 1,
        returning: [{ name: 'Ben', keeper: { name: 'Ben' } }],
      },
    },
  })
})

test('a mutation changes nothing if a remote argument is invalid, also with a cached plan', async () => {
  const query = `mutation($name: String!, $limit: Int, $filter: AnimalFilter) {
    update_person_by_pk(pk_columns: {id: 3}, _set: {name: $name}) {
      name keeper { animals(limit: $limit, filter: $filter) { id } }
    }
  }`
  const set = async (name: string, filter: object) =>
    (await zoo.engine.graphql(query, { name, limit: 1, filter })).body
  expect(await set('Di', {})).toMatchObject({ data: { update_person_by_pk: { name: 'Di' } } })
  expect(await set('Ed', { nothing: 1 })).toMatchObject({
    errors: [{ message: "field 'nothing' not found in type: 'AnimalFilter'" }],
  })
  expect((await zoo.engine.graphql('{ person_by_pk(id: 3) { name } }')).body).toEqual({
    data: { person_by_pk: { name: 'Di' } },
  })
})

test('remote relationships work below aggregates on a socket, but not in subscriptions', async () => {
  const query = '{ person_aggregate(where: {id: {_eq: 1}}) { nodes { keeper { name } } } }'
  const connection = await openReadySocket(zoo.engine.url)
  connection.send({ id: '1', type: 'subscribe', payload: { query } })
  expect(await connection.next()).toEqual({
    id: '1',
    type: 'next',
    payload: { data: { person_aggregate: { nodes: [{ keeper: { name: 'Ann' } }] } } },
  })
  expect(await connection.next()).toEqual({ id: '1', type: 'complete' })
  connection.send({
    id: '2',
    type: 'subscribe',
    payload: { query: 'subscription { person { keeper { name } } }' },
  })
  expect(await connection.next()).toMatchObject({
    id: '2',
    type: 'error',
    payload: [{ message: 'Remote relationships are not allowed in subscriptions' }],
  })
  connection.ws.close()
})

test('errors of the remote server in a relationship fail the operation', async () => {
  zoo.reply = () => ({ status: 200, body: { data: null, errors: [{ message: 'no' }] } })
  expect((await zoo.engine.graphql('{ person { keeper { name } } }')).body).toEqual({
    errors: [
      {
        message: 'Errors from remote server',
        extensions: { path: '$', code: 'unexpected', internal: { errors: [{ message: 'no' }] } },
      },
    ],
  })
})

test("a remote relationship to a table respects the role's permissions", async () => {
  const headers = { 'x-hasura-role': 'user' }
  const { body } = await zoo.engine.graphql('{ animals { visits { id } } }', {}, headers)
  expect(body).toEqual({
    data: { animals: [{ visits: [{ id: 1 }] }, { visits: [{ id: 3 }] }, { visits: [] }] },
  })
  const hidden = await zoo.engine.graphql('{ animals { visits { person_id } } }', {}, headers)
  expect(hidden.text).toContain("field 'person_id' not found in type: 'visit'")
  const stranger = { 'x-hasura-role': 'stranger' }
  expect((await zoo.engine.graphql('{ animals { visits { id } } }', {}, stranger)).text).toContain(
    "field 'visits' not found in type: 'Animal'",
  )
})

test('aliases with built-in names of JavaScript work in remote relationships', async () => {
  const { text } = await zoo.engine.graphql(
    '{ person(where: {id: {_eq: 1}}) { __proto__: keeper { constructor: name } } }',
  )
  expect(text).toBe('{"data":{"person":[{"__proto__":{"constructor":"Ann"}}]}}')
})
