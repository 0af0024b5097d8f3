import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../database.ts'
import { type RunningEngine, startEngine } from './start-engine.ts'

let db: Database
let engine: RunningEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key, name text, kind text);
    create table "odd name" (id int primary key);
    create table kind (name text primary key);
    create function names() returns text language sql stable as $$ select 'x' $$;
    create function twice(a int) returns setof item language sql stable as $$ select * from item $$;
    create function twice(a text) returns setof item language sql stable as $$ select * from item $$;`)
  engine = await startEngine(db.url)
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

const ITEM = { table: 'item' }
const granted = (kind: string, permission: object) => ({
  tables: [{ ...ITEM, [kind]: [{ role: 'user', permission }] }],
})

test.each([
  ['a table that is not there', { tables: [{ table: 'gone' }] }, 'no such table'],
  ['a table whose name GraphQL refuses', { tables: [{ table: 'odd name' }] }, 'custom name'],
  [
    'two tables of one name',
    { tables: [ITEM, { table: 'kind', configuration: { custom_name: 'item' } }] },
    'same name',
  ],
  ['an enum without rows', { tables: [{ table: 'kind', is_enum: true }] }, 'it has no rows'],
  [
    'a relationship without a key',
    {
      tables: [
        {
          ...ITEM,
          object_relationships: [{ name: 'k', using: { foreign_key_constraint_on: 'kind' } }],
        },
      ],
    },
    'no foreign constraint',
  ],
  [
    'a relationship to a table that is not tracked',
    {
      tables: [
        {
          ...ITEM,
          object_relationships: [
            {
              name: 'k',
              using: {
                manual_configuration: { remote_table: 'kind', column_mapping: { kind: 'name' } },
              },
            },
          ],
        },
      ],
    },
    'not tracked',
  ],
  [
    'a granted column that is not there',
    granted('select_permissions', { columns: ['x'], filter: {} }),
    '"x" does not exist',
  ],
  [
    'a filter on a column that is not there',
    granted('select_permissions', { columns: '*', filter: { x: 1 } }),
    '"x" does not exist',
  ],
  [
    'a filter with an operator that is not there',
    granted('select_permissions', { columns: '*', filter: { id: { _is: 1 } } }),
    '_is',
  ],
  [
    'a preset of a column that is not there',
    granted('insert_permissions', { check: {}, set: { x: 1 } }),
    '"x" does not exist',
  ],
  [
    'a check that nobody makes',
    granted('insert_permissions', { check: {}, validate_input: { type: 'http' } }),
    'validate_input',
  ],
  [
    'a function that is not there',
    { tables: [ITEM], functions: [{ function: 'gone' }] },
    'no such function',
  ],
  [
    'a function that returns no table',
    { tables: [ITEM], functions: [{ function: 'names' }] },
    'tracked table',
  ],
  ['a function of two kinds', { tables: [ITEM], functions: [{ function: 'twice' }] }, 'overloaded'],
  [
    'remote relationships',
    { tables: [{ ...ITEM, remote_relationships: [{ name: 'r' }] }] },
    'not supported',
  ],
])('%s is reported by name, and the rest is served', async (_title, source, reason) => {
  const answered = await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: {
      allow_inconsistent_metadata: true,
      metadata: { version: 3, sources: [{ name: 'default', kind: 'postgres', ...source }] },
    },
  })
  expect(answered.body).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [
      {
        type: expect.any(String),
        name: expect.any(String),
        reason: expect.stringContaining(reason),
      },
    ],
  })
  const { body } = await engine.graphql('{__typename}')
  expect(body).toEqual({ data: { __typename: 'query_root' } })
})

test('a permission that does not fit is not granted', async () => {
  await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: {
      allow_inconsistent_metadata: true,
      metadata: {
        version: 3,
        sources: [
          {
            name: 'default',
            kind: 'postgres',
            ...granted('select_permissions', { columns: '*', filter: { x: 1 } }),
          },
        ],
      },
    },
  })
  const { body } = await engine.graphql('{item {id}}', {}, { 'x-hasura-role': 'user' })
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
})
