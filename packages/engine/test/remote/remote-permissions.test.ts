import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { RELATED_ZOO, startZoo, TABLES, type Zoo, zooSchema } from '../support/zoo.ts'

let zoo: Zoo
const asUser = { 'x-hasura-role': 'user', 'x-hasura-keeper': '2', 'x-hasura-diet': 'MEAT' }

const PART = `
  schema { query: Query mutation: Mutation }
  enum Diet { PLANTS MEAT }
  input AnimalFilter { diet: Diet @preset(value: "x-hasura-diet") minWeight: Float }
  type Animal { id: ID! name: String! }
  type Keeper { id: Int! animals(filter: AnimalFilter, limit: Int @preset(value: 1)): [Animal!]! }
  type Query {
    keeper(id: Int! @preset(value: "x-hasura-keeper")): Keeper
    animals(filter: AnimalFilter): [Animal!]!
    animal(id: ID! @preset(value: "x-hasura-x", static: true)): Animal
  }
  type Mutation { rename(id: ID! @preset(value: "a1") name: String!): Animal }`

beforeAll(async () => {
  zoo = await startZoo({ HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' })
  const permissions = [{ role: 'user', definition: { schema: PART } }]
  expect((await zoo.use([{ ...RELATED_ZOO, permissions }])).text).toBe('{"message":"success"}')
})
afterAll(() => zoo?.stop())
beforeEach(() => {
  zoo.takeQueries()
})

test('a role gets what its remote schema permission names, and admin everything', async () => {
  const query = '{ __type(name: "query_root") { fields { name } } }'
  const names = async (headers?: Record<string, string>) =>
    JSON.stringify((await zoo.engine.graphql(query, {}, headers)).body)
  expect(await names(asUser)).toContain('{"name":"keeper"}')
  expect(await names(asUser)).not.toContain('broken')
  expect(await names()).toContain('broken')
  expect(await names({ 'x-hasura-role': 'other' })).toContain('no_queries_available')
  const hidden = await zoo.engine.graphql('{ keeper { name } }', {}, asUser)
  expect(hidden.text).toContain("field 'name' not found in type: 'Keeper'")
  const withArgument = await zoo.engine.graphql('{ keeper(id: 1) { id } }', {}, asUser)
  expect(withArgument.text).toContain("'keeper' has no argument named 'id'")
})

test('presets are sent for arguments that the role cannot choose', async () => {
  const { body } = await zoo.engine.graphql(
    'query($w: Float) { keeper { id animals(filter: {minWeight: $w}) { name visits { id } } } animal { id } }',
    { w: 1 },
    asUser,
  )
  expect(body).toEqual({
    data: { keeper: { id: 2, animals: [{ name: 'Cleo', visits: [] }] }, animal: null },
  })
  expect(zoo.takeQueries()).toEqual([
    expect.stringMatching(/^query \(\$hasura_json_var_1: Int!.*keeper\(id: \$hasura_json_var_1\)/),
    'query  { animal(id: "x-hasura-x") { id  } }',
  ])
  const renaming = await zoo.engine.graphql(
    'mutation { rename(name: "Z") { id name } }',
    {},
    asUser,
  )
  expect(renaming.body).toEqual({ data: { rename: { id: 'a1', name: 'Z' } } })
})

test('a preset from a missing or invalid session variable causes an error', async () => {
  const ask = async (headers: Record<string, string>) =>
    (await zoo.engine.graphql('{ keeper { id } }', {}, { 'x-hasura-role': 'user', ...headers }))
      .body
  expect(await ask({})).toEqual({
    errors: [
      {
        message: 'x-hasura-keeper session variable expected, but not found',
        extensions: { path: '$', code: 'not-found' },
      },
    ],
  })
  expect(await ask({ 'x-hasura-keeper': 'two' })).toMatchObject({
    errors: [{ extensions: { code: 'coercion-error' } }],
  })
})

test('a role gets only relationships of which it can use both sides', async () => {
  const animal = async (headers: Record<string, string>) =>
    (await zoo.engine.graphql('{ __type(name: "Animal") { fields { name } } }', {}, headers)).body
  // `boss` needs an argument that the role cannot pass.
  expect(await animal(asUser)).toEqual({
    data: { __type: { fields: [{ name: 'id' }, { name: 'name' }, { name: 'visits' }] } },
  })
})

test.each([
  ['type Query { keeper(id: Int!): Keeper } type Keeper { id: Int! wage: Int }', 'wage'],
  ['type Query { keeper(id: ID!): Keeper } type Keeper { id: Int! }', 'Query.keeper.id'],
  ['type Query { keeper: Keeper } type Keeper { id: Int! }', 'required argument'],
  ['type Query { keeper(id: Int!): Keeper }', 'Keeper'],
  ['type Query { broken: String } enum Diet { FISH }', 'FISH'],
  [
    'type Query { keeper(id: Int! @preset(value: "x")): Keeper } type Keeper { id: Int! }',
    'preset',
  ],
  ['type Other { id: Int }', 'Other'],
  [
    'type Mutation { rename(id: ID!, name: String!): Animal } type Animal { id: ID! }',
    'query root',
  ],
  ['type Query {', 'cannot be read'],
])('the permission %s does not fit the remote schema and is reported', async (schema, reason) => {
  const permissions = [{ role: 'user', definition: { schema } }]
  const { body } = await zoo.use([{ ...zooSchema(), permissions }], TABLES)
  expect(JSON.stringify(body)).toContain('remote_schema_permission user in remote schema zoo')
  expect(JSON.stringify(body)).toContain(reason)
})
