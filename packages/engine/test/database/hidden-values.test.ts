import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { openReadySocket } from '../support/socket.ts'
import { ADMIN_SECRET, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

/** A colleague may see the ids of all salaries. A chief may also see the grades and amounts of one department. */
const grants = (name: string) => [
  { role: 'colleague', permission: { columns: ['id'], filter: {} } },
  { role: 'chief', permission: { columns: ['id', 'grade', 'amount'], filter: MINE[name] } },
]

const MINE: Readonly<Record<string, object>> = {
  salary: { department: { chief: { _eq: 'X-Hasura-User-Id' } } },
  paid: { department_id: { _eq: 1 } },
}

const field = (name: string, scalar: string) => ({ name, type: { scalar, nullable: true } })

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table department (id int primary key, chief text);
    create table salary (id int primary key, department_id int references department, grade text, amount int);
    insert into department values (1, 'ada'), (2, 'bob');
    insert into salary values (1, 1, 'x', 50), (2, 2, 'x', 60), (3, 1, 'y', 55), (4, 2, 'z', 40)`)
  engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
  })
  const salary = table('salary', {
    object_relationships: [
      { name: 'department', using: { foreign_key_constraint_on: 'department_id' } },
    ],
    select_permissions: grants('salary'),
  })
  const document: { sources: object[] } = Object(
    metadata([table('department'), salary], {
      inherited_roles: [{ role_name: 'both', role_set: ['colleague', 'chief'] }],
    }),
  )
  Object.assign(document.sources[0] ?? {}, {
    logical_models: [
      {
        name: 'paid',
        fields: [
          field('id', 'integer'),
          field('department_id', 'integer'),
          field('grade', 'text'),
          field('amount', 'integer'),
        ],
        select_permissions: grants('paid'),
      },
    ],
    native_queries: [
      { root_field_name: 'all_paid', arguments: {}, code: 'select * from salary', returns: 'paid' },
    ],
  })
  await engine.post('/v1/metadata', replace(document))
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const ada = { 'x-hasura-role': 'both', 'x-hasura-user-id': 'ada' }
const askAsAda = async (query: string) => (await engine.graphql(query, {}, ada)).body

test.each(['salary', 'all_paid'])('%s is ordered by visible values only', async (rows) => {
  const query = `{ rows: ${rows}(order_by: [{amount: desc}, {id: asc}]) { id amount } }`
  expect(await askAsAda(query)).toEqual({
    data: {
      rows: [
        { id: 2, amount: null },
        { id: 4, amount: null },
        { id: 3, amount: 55 },
        { id: 1, amount: 50 },
      ],
    },
  })
})

test.each(['salary', 'all_paid'])('%s is distinct by visible values only', async (rows) => {
  const distinct = `${rows}(distinct_on: [grade], order_by: [{grade: asc}, {id: desc}])`
  expect(await askAsAda(`{ rows: ${distinct} { id grade } }`)).toEqual({
    data: {
      rows: [
        { id: 1, grade: 'x' },
        { id: 3, grade: 'y' },
        { id: 4, grade: null },
      ],
    },
  })
})

test('a stream follows visible values only', async () => {
  const ws = await openReadySocket(engine.url, { 'x-hasura-admin-secret': ADMIN_SECRET, ...ada })
  const cursor = '{initial_value: {amount: 0}}'
  const query = `subscription { salary_stream(batch_size: 9, cursor: ${cursor}) { id amount } }`
  ws.send({ type: 'subscribe', id: 's', payload: { query } })
  expect((await ws.next()).payload).toEqual({
    data: {
      salary_stream: [
        { id: 1, amount: 50 },
        { id: 3, amount: 55 },
      ],
    },
  })
  await db.query(`insert into salary values (5, 1, 'x', 70), (6, 2, 'x', 80)`)
  expect((await ws.next()).payload).toEqual({ data: { salary_stream: [{ id: 5, amount: 70 }] } })
  expect(ws.unread).toEqual([])
  ws.ws.terminate()
  await db.query('delete from salary where id > 4')
})
