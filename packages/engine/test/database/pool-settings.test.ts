import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { holdAdvisoryLock } from '../support/advisory-lock.ts'
import { serveEngineHere } from '../support/serve-here.ts'

const folder = mkdtempSync(join(tmpdir(), 'metadata-'))
let db: Database

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key);
    insert into item values (1);
    create view nap as select id, pg_advisory_xact_lock(1)::text as slept from item`)
})
afterAll(async () => {
  await db.drop()
  rmSync(folder, { recursive: true })
})

const SIX = { pool_settings: { max_connections: 6 } }

test.each([
  ['max_connections of the metadata limits the connections of requests', SIX, {}, 6],
  [
    'services get the connections that are not reserved for callers',
    SIX,
    { ENGINE_CALLER_CONNECTIONS: '10' },
    3,
  ],
  ['HASURA_GRAPHQL_PG_CONNECTIONS has no effect on a source that the metadata defines', {}, {}, 10],
])('%s', async (_what, settings, bounds, count) => {
  writeMetadata({
    name: 'default',
    kind: 'postgres',
    configuration: {
      connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' }, ...settings },
    },
    tables: [{ table: { schema: 'public', name: 'nap' } }],
  })
  const engine = await serveEngineHere(db.url, {
    HASURA_GRAPHQL_METADATA_DIR: folder,
    HASURA_GRAPHQL_PG_CONNECTIONS: '2',
    ...bounds,
  })
  const lock = await holdAdvisoryLock(db)
  const naps = Array.from({ length: 10 }, (_, i) => engine.graphql(`{nap${i}: nap {slept}}`))
  await expect.poll(waitingConnections).toBe(count)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await waitingConnections()).toBe(count)
  await lock.release()
  await Promise.all(naps)
  await engine.stop()
})

function writeMetadata(source: object) {
  mkdirSync(join(folder, 'databases'), { recursive: true })
  writeFileSync(join(folder, 'version.yaml'), 'version: 3')
  // JSON is valid YAML.
  writeFileSync(join(folder, 'databases/databases.yaml'), JSON.stringify([source]))
}

async function waitingConnections(): Promise<number> {
  const { rows } = await db.query(
    "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
  )
  return rows[0].count
}
