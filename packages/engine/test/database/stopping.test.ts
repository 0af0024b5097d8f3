import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'
import { type Database, database } from '../../../../test/support/database.ts'
import { START_CACHE } from '../../../../test/support/start-cache.ts'
import { holdAdvisoryLock } from '../support/advisory-lock.ts'
import { metadata, replace, runSql, table } from '../support/metadata.ts'
import { type Ending, startEngine } from '../support/start-engine.ts'

let db: Database

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key);
    insert into item values (1);
    create function slow() returns setof item language sql volatile as
      $$ select item.* from item, pg_sleep(100) $$`)
})
afterAll(() => db?.drop())

const TRACK = {
  type: 'pg_track_function',
  args: { function: 'slow', configuration: { exposed_as: 'query' } },
}

/** Counts the running statements that contain this text. */
async function countRunningLike(text: string): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and state = 'active' and query like $1 and pid <> pg_backend_pid()`,
    [`%${text}%`],
  )
  return rows[0].n
}

test.each<[NodeJS.Signals | null, Ending]>([
  [null, 'SIGTERM'],
  [null, 'SIGINT'],
  [null, 'disconnect'],
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'disconnect'],
])(
  'an engine answers a running statement before it ends: first %s, then %s',
  async (before, ending) => {
    const engine = await startEngine(db.url)
    const lock = await holdAdvisoryLock(db)
    const answer = engine.post('/v2/query', runSql('select pg_advisory_xact_lock(1), 7'))
    await lock.waitUntilRequested()
    if (before !== null) {
      process.kill(engine.pid, before)
      await expect.poll(engine.output).toContain('stopping')
    }
    const code = engine.stop(ending)
    await expect.poll(engine.output).toContain('stopping')
    await lock.release()
    expect((await answer).body).toMatchObject({ result: [expect.anything(), ['', '7']] })
    expect(await code).toBe(0)
  },
)

test.each(['/v1/graphql', '/v2/query'])(
  'a statement of %s that exceeds the shutdown timeout is cut off',
  async (path) => {
    const engine = await startEngine(db.url, { HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: '1' })
    await engine.post('/v1/metadata', replace(metadata([table('item')])))
    await engine.post('/v1/metadata', TRACK)
    const body = path === '/v1/graphql' ? { query: '{slow {id}}' } : runSql('select from slow()')
    const answer = engine.post(path, body).catch(() => 'cut off')
    await expect.poll(() => countRunningLike('slow')).toBe(1)
    expect(await engine.stop()).toBe(0)
    expect(await answer).toBe('cut off')
    if (path === '/v1/graphql') await expect.poll(() => countRunningLike('slow')).toBe(0)
  },
)

test('an engine ends if its parent disconnects before it listens', async () => {
  const port = String(await freePort())
  const child = spawn(process.execPath, [...START_CACHE, 'packages/engine/server.ts'], {
    env: { HASURA_GRAPHQL_DATABASE_URL: db.url, HASURA_GRAPHQL_SERVER_PORT: port },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exit = once(child, 'exit')
  child.disconnect()
  expect(await exit).toEqual([0, null])
})
