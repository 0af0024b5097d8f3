import { buildSchema, graphqlSync } from 'graphql'
import { database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from './metadata.ts'
import {
  type ReceivedRequest,
  type Receiver,
  type ReceiverReply,
  startReceiver,
} from './receiver.ts'
import { serveEngineHere } from './serve-here.ts'
import type { EngineAnswer, ServedEngine } from './start-engine.ts'

/** A remote GraphQL server. */
const schema = buildSchema(`
  "Has a name" interface Creature { name: String! }
  enum Diet { PLANTS MEAT }
  input AnimalFilter { diet: Diet, minWeight: Float = 0, tags: [String!] }
  scalar Extra
  type Animal implements Creature {
    id: ID! name: String! weight: Float diet: Diet keeperId: Int! extra: Extra
    notes(limit: Int = 2): [String!]!
  }
  type Keeper implements Creature {
    id: Int! name: String! animals(filter: AnimalFilter, limit: Int = 10): [Animal!]!
  }
  union Found = Animal | Keeper
  type Query {
    animal(id: ID!): Animal
    animals(filter: AnimalFilter): [Animal!]!
    keeper(id: Int!): Keeper
    find(text: String!): [Found!]!
    creatures: [Creature!]!
    broken: String
    unwell(id: Int!): Animal!
  }
  type Mutation { rename(id: ID!, name: String!): Animal }
`)

type Animal = {
  __typename: string
  id: string
  name: string
  diet: string
  weight: number
  keeperId: number
  extra: object
  notes: (args: { limit: number }) => string[]
}
type Filter = { diet?: string; minWeight: number } | null

const ANIMALS: readonly Animal[] = [
  ['a1', 'Asra', 'PLANTS', 4000.5, 1],
  ['a2', 'Bo', 'MEAT', 180, 1],
  ['a3', 'Cleo', 'MEAT', 12.25, 2],
].map(([id, name, diet, weight, keeperId]) => ({
  __typename: 'Animal',
  id: String(id),
  name: String(name),
  diet: String(diet),
  weight: Number(weight),
  keeperId: Number(keeperId),
  extra: { since: id },
  notes: ({ limit }) => ['x', 'y', 'z'].slice(0, limit),
}))

const findAnimals = (filter: Filter | undefined) =>
  ANIMALS.filter(
    ({ diet, weight }) =>
      (!filter?.diet || filter.diet === diet) && weight >= (filter?.minWeight ?? 0),
  )

const keeper = (id: number) =>
  id > 2
    ? null
    : {
        __typename: 'Keeper',
        id,
        name: ['', 'Ann', 'Ben'][id],
        animals: ({ filter, limit }: { filter?: Filter; limit: number }) =>
          findAnimals(filter)
            .filter(({ keeperId }) => keeperId === id)
            .slice(0, limit),
      }

const animal = ({ id }: { id: string }) => ANIMALS.find((one) => one.id === id) ?? null

const rootValue = {
  animal,
  animals: ({ filter }: { filter?: Filter }) => findAnimals(filter),
  keeper: ({ id }: { id: number }) => keeper(id),
  find: ({ text }: { text: string }) =>
    [...ANIMALS, keeper(1), keeper(2)].filter((one) => one?.name?.includes(text)),
  creatures: [ANIMALS[0], keeper(2)],
  broken: () => {
    throw new Error('it is broken')
  },
  unwell: () => null,
  rename: ({ id, name }: { id: string; name: string }) => ({ ...animal({ id }), name }),
}

/** Replies to a request as the remote server does. */
export function zooReply({ body }: ReceivedRequest): ReceiverReply {
  const { query, variables, operationName } = Object(body)
  const answer = graphqlSync({
    schema,
    source: query,
    rootValue,
    variableValues: variables,
    operationName,
  })
  return { status: 200, body: answer }
}

/** An engine on a new database, with a remote GraphQL server (the zoo). */
export type Zoo = {
  engine: ServedEngine
  databaseUrl: string
  remote: Receiver
  /** Replies for the remote server; `zooReply` unless a test sets another function. */
  reply: (request: ReceivedRequest) => ReceiverReply
  /** Returns the queries that the zoo has received since the last call, without introspection. */
  takeQueries(): string[]
  metadata(args: object): Promise<EngineAnswer>
  /** Replaces the remote schemas and the tables' metadata. */
  use(remoteSchemas: readonly object[], tables?: readonly object[]): Promise<EngineAnswer>
  stop(): Promise<void>
}

/** Starts the engine and the zoo. */
export async function startZoo(environment: Record<string, string> = {}): Promise<Zoo> {
  const db = await database()
  await db.query(`
    create table person (id int primary key, name text, price numeric);
    create table visit (id int primary key, animal_id text, person_id int references person);
    insert into person values (1, 'Ann', 1.50), (2, 'Ben', 3), (3, 'Cy', null);
    insert into visit values (1, 'a1', 1), (2, 'a1', 2), (3, 'a2', 1);`)
  const zooState: Pick<Zoo, 'reply'> = { reply: zooReply }
  const remote = await startReceiver((request) => zooState.reply(request))
  const engine = await serveEngineHere(db.url, {
    ZOO_URL: remote.url,
    ZOO_KEY: 'k',
    ...environment,
  })
  let returnedCount = 0
  return Object.assign(zooState, {
    engine,
    databaseUrl: db.url,
    remote,
    takeQueries() {
      const newRequests = remote.received.slice(returnedCount)
      returnedCount = remote.received.length
      return newRequests
        .map(({ body }) => String(Object(body).query))
        .filter((query) => !query.includes('__schema'))
    },
    metadata: (args: object) => engine.post('/v1/metadata', args),
    use: (remoteSchemas: readonly object[], tables: readonly object[] = TABLES) =>
      engine.post('/v1/metadata', replace(metadata(tables, { remote_schemas: remoteSchemas }))),
    async stop() {
      await engine.stop()
      await remote.close()
      await db.drop()
    },
  })
}

/** The zoo as a remote schema; `rest` has other members of its definition, `beside` other members of the remote schema. */
export function zooSchema(rest: object = {}, beside: object = {}): object {
  return { name: 'zoo', definition: { url_from_env: 'ZOO_URL', ...rest }, ...beside }
}

const visitors = {
  object_relationships: [{ name: 'person', using: { foreign_key_constraint_on: 'person_id' } }],
  select_permissions: [
    { role: 'user', permission: { columns: ['id'], filter: { person_id: { _eq: 1 } } } },
  ],
}

const people = (rest: object = {}) =>
  table('person', {
    select_permissions: [{ role: 'user', permission: { columns: ['name'], filter: {} } }],
    ...rest,
  })

/** The tables without relationships to the zoo. */
export const TABLES = [people(), table('visit', visitors)]

/** A remote relationship to a field of the zoo. */
export const toZoo = (name: string, left: readonly string[], remote_field: object) => ({
  name,
  definition: { to_remote_schema: { remote_schema: 'zoo', lhs_fields: left, remote_field } },
})

/** A remote relationship to a table. */
export const toTable = (name: string, type: string, tableName: string, mapping: object) => ({
  name,
  definition: {
    to_source: {
      source: 'default',
      table: tableName,
      relationship_type: type,
      field_mapping: mapping,
    },
  },
})

/** The tables with relationships from people to keepers. */
export const KEEPING_TABLES = [
  people({
    remote_relationships: [
      toZoo('keeper', ['id'], { keeper: { arguments: { id: '$id' } } }),
      toZoo('hunters', ['id'], {
        keeper: {
          arguments: { id: '$id' },
          field: { animals: { arguments: { filter: { diet: 'MEAT' } } } },
        },
      }),
    ],
  }),
  table('visit', visitors),
]

/** The zoo with relationships of its types to tables and to itself. */
export const RELATED_ZOO = zooSchema(
  {},
  {
    remote_relationships: [
      {
        type_name: 'Animal',
        relationships: [
          toTable('visits', 'array', 'visit', { id: 'animal_id' }),
          toZoo('boss', ['keeperId'], { keeper: { arguments: { id: '$keeperId' } } }),
        ],
      },
      {
        type_name: 'Keeper',
        relationships: [toTable('person', 'object', 'person', { id: 'id' })],
      },
    ],
  },
)
