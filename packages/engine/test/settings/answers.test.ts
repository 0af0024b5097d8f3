import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table task (id int primary key, title text, done bool);
    insert into task values (1, 'a', true), (2, null, false);
    create function isolation(task) returns text language sql stable as
      $$ select current_setting('transaction_isolation') $$`)
  const engine = await serveEngineHere(db.url)
  await engine.post('/v1/metadata', replace(metadata([table('task')])))
  await engine.stop()
})
afterAll(() => db.drop())

/** Runs `act` with an engine that has these settings. */
async function withSettings<T>(
  settings: Record<string, string>,
  act: (engine: ServedEngine) => Promise<T>,
): Promise<T> {
  const engine = await serveEngineHere(db.url, settings)
  try {
    return await act(engine)
  } finally {
    await engine.stop()
  }
}

const EVERYTHING = { data: { task: [{ id: 1 }, { id: 2 }] } }

describe('HASURA_GRAPHQL_V1_BOOLEAN_NULL_COLLAPSE makes the engine ignore operators with null', () => {
  const COLLAPSE = { HASURA_GRAPHQL_V1_BOOLEAN_NULL_COLLAPSE: 'true' }
  const QUERIES = [
    '{ task(where: {title: {_eq: null}}, order_by: {id: asc}) { id } }',
    '{ task(where: {title: {_is_null: null, _in: null, _like: null}}, order_by: {id: asc}) { id } }',
    'query ($t: String) { task(where: {title: {_neq: $t}}, order_by: {id: asc}) { id } }',
    'query ($t: [String!]) { task(where: {title: {_nin: $t}}, order_by: {id: asc}) { id } }',
  ]

  test('with V1_BOOLEAN_NULL_COLLAPSE, operators with null are ignored', async () => {
    await withSettings(COLLAPSE, async (engine) => {
      for (const query of QUERIES) expect((await engine.graphql(query)).body).toEqual(EVERYTHING)
      const withVariable = 'query ($t: String) { task(where: {title: {_eq: $t}}) { id } }'
      expect((await engine.graphql(withVariable, { t: 'a' })).body).toEqual({
        data: { task: [{ id: 1 }] },
      })
      expect((await engine.graphql(withVariable, { t: null })).body).toEqual(EVERYTHING)
    })
  })

  test('without V1_BOOLEAN_NULL_COLLAPSE, null is rejected', async () => {
    await withSettings({}, async (engine) => {
      expect((await engine.graphql(QUERIES[0] ?? '')).body).toMatchObject({
        errors: [{ extensions: { code: 'validation-failed' } }],
      })
    })
  })
})

test('HASURA_GRAPHQL_BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES lets a required variable be null', async () => {
  const insert =
    'mutation ($t: String!) { insert_task_one(object: {id: 9, title: $t}) { title } delete_task(where: {id: {_eq: 9}}) { affected_rows } }'
  const lenient = { HASURA_GRAPHQL_BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES: 'true' }
  await withSettings(lenient, async (engine) => {
    expect((await engine.graphql(insert, { t: null })).body).toEqual({
      data: { insert_task_one: { title: null }, delete_task: { affected_rows: 1 } },
    })
  })
})

describe('no_null_unbound_variable_default ignores variables without a value', () => {
  const settings = { HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: 'NO_NULL_UNBOUND_VARIABLE_DEFAULT' }

  test('with no_null_unbound_variable_default, arguments with an unset variable are left out', async () => {
    await withSettings(settings, async (engine) => {
      const ask = async (query: string, variables = {}) =>
        (await engine.graphql(query, variables)).body
      const where =
        'query ($t: String, $n: Int) { task(where: {title: {_eq: $t}}, limit: $n, order_by: {id: asc}) { id } }'
      expect(await ask(where)).toEqual(EVERYTHING)
      expect(await ask(where, { t: 'a' })).toEqual({ data: { task: [{ id: 1 }] } })
      expect(await ask(where, { n: 1 })).toEqual({ data: { task: [{ id: 1 }] } })
      expect(await ask(where)).toEqual(EVERYTHING)
      expect(await ask(where, { t: null })).toMatchObject({
        errors: [{ extensions: { code: 'validation-failed' } }],
      })
      const list =
        'query ($t: String) { ...f } fragment f on query_root { task(where: {title: {_in: ["a", $t]}}) { id } }'
      expect(await ask(list)).toEqual({ data: { task: [{ id: 1 }] } })
    })
  })

  test('with no_null_unbound_variable_default, defaults apply and required variables are needed', async () => {
    await withSettings(settings, async (engine) => {
      const byDefault = 'query ($t: String = "a") { task(where: {title: {_eq: $t}}) { id } }'
      expect((await engine.graphql(byDefault)).body).toEqual({ data: { task: [{ id: 1 }] } })
      const required = 'query ($i: Int!) { task_by_pk(id: $i) { id } }'
      expect((await engine.graphql(required)).body).toMatchObject({
        errors: [{ extensions: { code: 'validation-failed' } }],
      })
    })
  })
})

describe('transactions have the configured isolation level', () => {
  const change =
    'mutation { update_task(where: {id: {_eq: 1}}, _set: {done: true}) { returning { how } } }'
  const isolationAnswer = (how: string) => ({ data: { update_task: { returning: [{ how }] } } })
  const definition = { function: 'isolation' }
  const taskTables = [table('task', { computed_fields: [{ name: 'how', definition }] })]

  /** Returns metadata with a single source, which has this configuration. */
  const metadataConnectedBy = (configuration?: object) =>
    metadata([], {
      sources: [{ name: 'default', kind: 'postgres', configuration, tables: taskTables }],
    })

  test("mutations and run_sql use the isolation level of the source's metadata", async () => {
    const connection_info = {
      database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' },
      isolation_level: 'serializable',
    }
    await withSettings({}, async (engine) => {
      await engine.post('/v1/metadata', replace(metadataConnectedBy({ connection_info })))
      expect((await engine.graphql(change)).body).toEqual(isolationAnswer('serializable'))
      const { body } = await engine.post('/v2/query', runSql('show transaction_isolation'))
      expect(body).toMatchObject({ result: [['transaction_isolation'], ['serializable']] })
      await engine.post('/v1/metadata', replace(metadata([table('task')])))
    })
  })

  test('HASURA_GRAPHQL_TX_ISOLATION applies if the metadata does not configure the source', async () => {
    const settings = { HASURA_GRAPHQL_TX_ISOLATION: 'repeatable-read' }
    await withSettings(settings, async (engine) => {
      await engine.post('/v1/metadata', replace(metadataConnectedBy()))
      expect((await engine.graphql(change)).body).toEqual(isolationAnswer('repeatable read'))
      await engine.post('/v1/metadata', replace(metadata([table('task')])))
    })
  })
})

describe('HASURA_GRAPHQL_METADATA_DEFAULTS adds metadata', () => {
  const defaultMetadata = {
    query_collections: [
      {
        name: 'own',
        definition: {
          queries: [{ name: 'ids', query: 'query { task(order_by: {id: asc}) { id } }' }],
        },
      },
    ],
    rest_endpoints: [
      {
        name: 'ids',
        url: 'ids',
        methods: ['GET'],
        definition: { query: { collection_name: 'own', query_name: 'ids' } },
      },
    ],
  }
  const settings = { HASURA_GRAPHQL_METADATA_DEFAULTS: JSON.stringify(defaultMetadata) }

  test('default metadata is served but not exported', async () => {
    await withSettings(settings, async (engine) => {
      const response = await fetch(`${engine.url}/api/rest/ids`, {
        headers: { 'x-hasura-admin-secret': 'a-secret-of-the-tests' },
      })
      expect(await response.json()).toEqual({ task: [{ id: 1 }, { id: 2 }] })
      const exported = await engine.post('/v1/metadata', { type: 'export_metadata', args: {} })
      expect(exported.text).not.toContain('rest_endpoints')
      expect(
        (await engine.post('/v1/metadata', { type: 'reload_metadata', args: {} })).status,
      ).toBe(200)
    })
  })

  test('invalid default metadata is rejected at the start', async () => {
    const invalidDefaults = { HASURA_GRAPHQL_METADATA_DEFAULTS: '{"sources": 1}' }
    await expect(serveEngineHere(db.url, invalidDefaults)).rejects.toThrow(/METADATA_DEFAULTS/)
  })
})

test('in maintenance mode rows can be changed, but not metadata', async () => {
  await withSettings({ HASURA_GRAPHQL_ENABLE_MAINTENANCE_MODE: 'true' }, async (engine) => {
    const rejection = {
      error: 'metadata cannot be modified in maintenance mode',
      code: 'unexpected',
    }
    const untrack = await engine.post('/v1/metadata', {
      type: 'pg_untrack_table',
      args: { table: 'task' },
    })
    expect([untrack.status, untrack.body]).toEqual([500, expect.objectContaining(rejection)])
    const alter = await engine.post('/v2/query', runSql('alter table task add column x int'))
    expect(alter.body).toMatchObject(rejection)
    const change =
      'mutation { update_task(where: {id: {_eq: 1}}, _set: {title: "a"}) { affected_rows } }'
    expect((await engine.graphql(change)).body).toEqual({
      data: { update_task: { affected_rows: 1 } },
    })
    expect((await engine.graphql('{ task(where: {x: {_eq: 1}}) { id } }')).text).toContain(
      'not found',
    )
  })
})

test('with HASURA_GRAPHQL_ENABLE_RELAY=false the Relay API answers an error', async () => {
  await withSettings({ HASURA_GRAPHQL_ENABLE_RELAY: 'false' }, async (engine) => {
    const { status, body } = await engine.post('/v1beta1/relay', { query: '{ __typename }' })
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'not-supported' })])
  })
})

test('a header of 100 kB is accepted, unless HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH is lower', async () => {
  const header = { 'x-hasura-long': 'x'.repeat(100_000) }
  const query = '{ __typename }'
  await withSettings({}, async (engine) => {
    expect((await engine.graphql(query, {}, header)).status).toBe(200)
  })
  await withSettings({ HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH: '50000' }, async (engine) => {
    expect((await engine.graphql(query, {}, header)).status).toBe(431)
  })
})
