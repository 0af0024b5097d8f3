import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import { readAnswer, type ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

/** Serves an engine with the package's defaults, which set no limits for callers, on tables that every caller can use. */
beforeAll(async () => {
  db = await database()
  await db.query(`
    create table city (id int primary key, parent_id int references city, name text);
    create view report as select 1 as id, pg_sleep(2.5)::text as waited`)
  engine = await serveEngineHere(db.url, { HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'anyone' })
  const role = 'anyone'
  const select_permissions = [{ role, permission: { columns: '*', filter: {} } }]
  const insert_permissions = [{ role, permission: { columns: '*', check: {} } }]
  const object_relationships = [
    { name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } },
  ]
  const cities = table('city', { select_permissions, insert_permissions, object_relationships })
  const tables = [cities, table('report', { select_permissions })]
  await engine.post('/v1/metadata', replace(metadata(tables)))
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

async function ask(query: string, variables = {}) {
  const response = await fetch(`${engine.url}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return (await readAnswer(response)).body
}

test('without limits, a statement of 2.5 seconds is answered', async () => {
  expect(await ask('{ report { id } }')).toEqual({ data: { report: [{ id: 1 }] } })
})

test('without limits, 12,000 values can be inserted', async () => {
  const objects = Array.from({ length: 6_000 }, (_, id) => ({ id, name: 'x' }))
  const query =
    'mutation ($o: [city_insert_input!]!) { insert_city(objects: $o) { affected_rows } }'
  expect(await ask(query, { o: objects })).toEqual({
    data: { insert_city: { affected_rows: 6000 } },
  })
})

test('without limits, 700 fields and 80 levels can be selected', async () => {
  const names = Array.from({ length: 700 }, (_, i) => `f${i}: id`)
  expect(await ask(`{ city(limit: 1) { ${names.join(' ')} } }`)).toHaveProperty('data')
  const nestedParents = `${'{ parent '.repeat(80)}{ id }${' }'.repeat(80)}`
  expect(await ask(`{ city(limit: 1) ${nestedParents} }`)).toHaveProperty('data')
})

test('without limits, 60 concurrent requests are answered', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => ask('{ city(limit: 1) { id } }')),
  )
  for (const answer of answers) expect(answer).toHaveProperty('data')
})

test('a query nested too deeply for the stack gets an error, and the engine keeps serving', async () => {
  const deepSelection = (depth: number) => `${'{ parent '.repeat(depth)}{ id }${' }'.repeat(depth)}`
  for (const depth of [20_000, 200_000])
    expect(await ask(`{ city ${deepSelection(depth)} }`)).toMatchObject({
      errors: [{ message: expect.stringMatching(/too deeply|not a valid graphql query/) }],
    })
  expect(await ask('{ city(limit: 1) { id } }')).toHaveProperty('data')
})
