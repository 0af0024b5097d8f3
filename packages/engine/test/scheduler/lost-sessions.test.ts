import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { metadata, replace, table } from '../support/metadata.ts'
import { openRoad, type Road } from '../support/road.ts'
import { CRON, DUE, type Scheduling, startScheduling, withCron } from '../support/scheduler.ts'

let on: Scheduling
let road: Road

beforeEach(async () => {
  on = await startScheduling()
})
afterEach(async () => {
  await on?.stop()
  road?.close()
})

const SESSIONS = `from pg_stat_activity
  where application_name = 'engine scheduler' and datname = current_database()`

test('a lost lock session is replaced by exactly one, also if its socket closes late', async () => {
  road = await openRoad(on.db.url, 1000)
  const one = await on.engine({
    HASURA_GRAPHQL_DATABASE_URL: road.url,
    // The longer interval leaves the session idle when it is terminated.
    ENGINE_CRON_DELIVER_INTERVAL_MS: '300',
    HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: '0',
  })
  await one.post('/v1/metadata', withCron())
  for (const _time of [1, 2]) {
    await on.db.query(`select pg_terminate_backend(pid) ${SESSIONS}`)
    await sleep(2000)
  }
  expect((await on.db.query(`select count(*)::int ${SESSIONS}`)).rows).toEqual([{ count: 1 }])
  await on.db.query(DUE)
  await on.hook.count(1)
})

test('requests and cron events continue after all connections stopped answering', async () => {
  road = await openRoad(on.db.url)
  const one = await on.engine({
    HASURA_GRAPHQL_DATABASE_URL: road.url,
    HASURA_GRAPHQL_PG_CONNECTIONS: '2',
    ENGINE_STATEMENT_TIMEOUT_MS: '500',
  })
  await on.db.query('create table lamp (id int primary key)')
  await one.post(
    '/v1/metadata',
    replace(metadata([table('lamp')], { cron_triggers: [{ ...CRON, retry_conf: {} }] })),
  )
  expect((await one.graphql('{ lamp { id } }')).body).toEqual({ data: { lamp: [] } })
  road.lose()
  await on.db.query(DUE)
  await expect
    .poll(async () => (await one.graphql('{ lamp { id } }')).body, { timeout: 20_000 })
    .toEqual({ data: { lamp: [] } })
  await on.hook.count(1)
})
