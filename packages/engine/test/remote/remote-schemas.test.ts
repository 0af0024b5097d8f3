import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openReadySocket } from '../support/socket.ts'
import { startZoo, type Zoo, zooReply, zooSchema } from '../support/zoo.ts'

let zoo: Zoo

beforeAll(async () => {
  zoo = await startZoo()
  const customization = {
    root_fields_namespace: 'zoo',
    type_names: { prefix: 'Zoo', mapping: { Diet: 'Food' } },
    field_names: [{ parent_type: 'Animal', prefix: 'its_', mapping: { id: 'key' } }],
  }
  const headers = [
    { name: 'x-key', value_from_env: 'ZOO_KEY' },
    { name: 'x-two', value: '2' },
  ]
  const plain = {
    name: 'plain',
    definition: {
      url: '{{ZOO_URL}}/plain',
      forward_client_headers: true,
      headers,
      customization: { type_names: { suffix: '_p' } },
    },
  }
  const set = await zoo.use([zooSchema({ customization }), plain])
  expect(set.text).toBe('{"message":"success"}')
})
afterAll(() => zoo?.stop())
beforeEach(() => {
  zoo.reply = zooReply
  zoo.takeQueries()
})

test('one query can have fields of a remote schema and of tables', async () => {
  const { text } = await zoo.engine.graphql(
    `query($id: ID!, $filter: ZooAnimalFilter, $with: Boolean!) {
      z: zoo { __typename one: animal(id: $id) { ...A } animals(filter: $filter) { key } }
      person(limit: 1, order_by: {id: asc}) { name price }
      keeper(id: 1) { name @skip(if: $with) animals(limit: 1) { __typename id } }
    }
    fragment A on ZooAnimal { __typename key its_diet its_weight its_notes(limit: 1) its_extra }`,
    { id: 'a1', filter: { diet: 'MEAT', minWeight: 100 }, with: true },
  )
  expect(text).toBe(
    '{"data":{"z":{"__typename":"zooQuery","one":{"__typename":"ZooAnimal","key":"a1","its_diet":"PLANTS","its_weight":4000.5,"its_notes":["x"],"its_extra":{"since":"a1"}},"animals":[{"key":"a2"}]},"person":[{"name":"Ann","price":1.50}],"keeper":{"animals":[{"__typename":"Animal_p","id":"a1"}]}}}',
  )
  expect(zoo.takeQueries().toSorted()).toEqual([
    'query  { keeper(id: 1) { animals(limit: 1) { __typename  id  } } }',
    'query ($hasura_json_var_1: Float) { animals(filter: {minWeight: $hasura_json_var_1,diet: MEAT}) { key: id  } }',
    'query ($id: ID!) { one: animal(id: $id) { __typename  key: id  its_diet: diet  its_weight: weight  its_notes: notes(limit: 1)  its_extra: extra  } }',
  ])
})

test('fields that the types of an interface have in common are sent as one selection', async () => {
  const { body } = await zoo.engine.graphql(
    '{ creatures { name __typename ... on Animal_p { weight } } find(text: "Ben") { ... on Keeper_p { id } __typename } }',
  )
  expect(body).toEqual({
    data: {
      creatures: [
        { name: 'Asra', __typename: 'Animal_p', weight: 4000.5 },
        { name: 'Ben', __typename: 'Keeper_p' },
      ],
      find: [{ id: 2, __typename: 'Keeper_p' }],
    },
  })
  expect(zoo.takeQueries()).toContain(
    'query  { creatures { name  __typename  ...on Animal { weight  } } }',
  )
})

test('the remote query has the operation name of the request', async () => {
  const body = { query: 'query Named { keeper(id: 1) { id } }', operationName: 'Named' }
  await zoo.engine.post('/v1/graphql', body)
  expect(zoo.takeQueries()).toEqual(['query Named { keeper(id: 1) { id  } }'])
})

test('remote requests have configured headers, session variables, and client headers if forwarded', async () => {
  const headers = { 'x-hasura-role': 'user', 'x-hasura-user-id': '7', 'x-own': 'a', 'x-two': 'b' }
  await zoo.engine.graphql('{ keeper(id: 1) { id } }', {}, headers)
  expect(zoo.remote.received.at(-1)?.headers).toMatchObject({
    'x-key': 'k',
    'x-two': '2',
    'x-own': 'a',
    'x-hasura-role': 'user',
    'x-hasura-user-id': '7',
  })
  expect(zoo.remote.received.at(-1)?.headers).not.toHaveProperty('x-hasura-admin-secret')
  await zoo.engine.graphql('{ zoo { animal(id: "a1") { key } } }', {}, headers)
  expect(zoo.remote.received.at(-1)?.headers).not.toHaveProperty('x-own')
})

test('fields of a mutation with remote fields run one after another in separate transactions', async () => {
  const set = (name: string) => `update_person_by_pk(pk_columns: {id: 3}, _set: {name: "${name}"})`
  const { body } = await zoo.engine.graphql(
    `mutation { a: ${set('Di')} { name } zoo { rename(id: "a1", name: "Al") { its_name } } rename(id: "a2", name: "B") { name } }`,
  )
  expect(body).toEqual({
    data: { a: { name: 'Di' }, zoo: { rename: { its_name: 'Al' } }, rename: { name: 'B' } },
  })
  expect(zoo.takeQueries()).toEqual([
    'mutation  { rename(id: "a1",name: "Al") { its_name: name  } }',
    'mutation  { rename(id: "a2",name: "B") { name  } }',
  ])
  zoo.reply = () => ({ status: 200, body: { errors: [{ message: 'no' }] } })
  const failed = await zoo.engine.graphql(
    `mutation { a: ${set('Ed')} { name } rename(id: "a2", name: "B") { name } b: ${set('Flo')} { name } }`,
  )
  expect(failed.body).toEqual({ data: null, errors: [{ message: 'no' }] })
  const { body: now } = await zoo.engine.graphql('{ person_by_pk(id: 3) { name } }')
  expect(now).toEqual({ data: { person_by_pk: { name: 'Ed' } } })
})

test('errors of a remote server are returned unchanged, without data', async () => {
  const { status, text } = await zoo.engine.graphql('{ person { id } zoo { broken } }')
  expect(status).toBe(200)
  expect(text).toBe(
    '{"data":null,"errors":[{"locations":[{"column":10,"line":1}],"message":"it is broken","path":["broken"]}]}',
  )
  const connection = await openReadySocket(zoo.engine.url)
  connection.send({ id: '1', type: 'subscribe', payload: { query: '{ broken }' } })
  expect(await connection.next()).toMatchObject({
    type: 'next',
    payload: { data: null, errors: [{ message: 'it is broken' }] },
  })
  connection.ws.close()
})

test.each([
  ['{ zoo { animal { key } } }', "missing required field 'id'"],
  ['{ zoo { animal(id: 1) } }', "missing selection set for 'ZooAnimal'"],
  ['{ zoo { animal(id: 1) { id } } }', "field 'id' not found in type: 'ZooAnimal'"],
  [
    '{ zoo { animals(filter: 1) { key } } }',
    "expected an object for type 'ZooAnimalFilter', but found an integer",
  ],
  [
    '{ zoo { animals(filter: {diet: "MEAT"}) { key } } }',
    "expected an enum value for type 'Food', but found a string",
  ],
  [
    '{ zoo { animals(filter: {diet: FISH}) { key } } }',
    "expected one of the values ['PLANTS', 'MEAT'] for type 'Food', but found 'FISH'",
  ],
  ['{ zoo { animals(filter: {a: 1}) { key } } }', "field 'a' not found in type: 'ZooAnimalFilter'"],
  [
    'query($i: Int) { zoo { animal(id: $i) { key } } }',
    "variable 'i' is declared as 'Int', but used where 'ID!' is expected",
  ],
])('%s is rejected before a remote request is sent', async (query, message) => {
  const { body } = await zoo.engine.graphql(query)
  expect(body).toMatchObject({ errors: [{ message, extensions: { code: 'validation-failed' } }] })
  expect(zoo.takeQueries()).toEqual([])
})

test('a cached plan serves other variables', async () => {
  const query = 'query($f: AnimalFilter_p) { animals(filter: $f) { id } }'
  const ask = async (f: object | null) => (await zoo.engine.graphql(query, { f })).body
  expect(await ask({ diet: 'MEAT' })).toEqual({ data: { animals: [{ id: 'a2' }, { id: 'a3' }] } })
  expect(await ask({ minWeight: 1000 })).toEqual({ data: { animals: [{ id: 'a1' }] } })
  expect(await ask(null)).toMatchObject({ data: { animals: [{}, {}, {}] } })
  expect(await ask({ diet: 'FISH' })).toMatchObject({
    errors: [{ extensions: { path: '$.selectionSet.animals.args.filter.diet' } }],
  })
})

test('remote types are part of introspection under their customized names', async () => {
  const { body } = await zoo.engine.graphql(
    `{ food: __type(name: "Food") { kind enumValues { name } }
       creature: __type(name: "Creature_p") { kind description interfaces { name } possibleTypes { name } }
       keeper: __type(name: "ZooKeeper") { interfaces { name } fields { name args { name defaultValue type { name } } } }
       root: __type(name: "zooMutation") { fields { name } } }`,
  )
  expect(body).toEqual({
    data: {
      food: { kind: 'ENUM', enumValues: [{ name: 'MEAT' }, { name: 'PLANTS' }] },
      creature: {
        kind: 'INTERFACE',
        description: 'Has a name',
        interfaces: null,
        possibleTypes: [{ name: 'Animal_p' }, { name: 'Keeper_p' }],
      },
      keeper: {
        interfaces: [{ name: 'ZooCreature' }],
        fields: [
          {
            name: 'animals',
            args: [
              { name: 'filter', defaultValue: null, type: { name: 'ZooAnimalFilter' } },
              { name: 'limit', defaultValue: '10', type: { name: 'Int' } },
            ],
          },
          { name: 'id', args: [] },
          { name: 'name', args: [] },
        ],
      },
      root: { fields: [{ name: 'rename' }] },
    },
  })
})
