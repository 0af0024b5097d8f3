import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import {
  ADD_DUE_EVENT,
  CRON,
  type Scheduling,
  startScheduling,
  withCron,
} from '../support/scheduler.ts'

let scheduling: Scheduling
let proxy: DatabaseProxy

beforeEach(async () => {
  scheduling = await startScheduling()
})
afterEach(async () => {
  await scheduling?.stop()
  proxy?.close()
})

const SESSIONS = `from pg_stat_activity
  where application_name = 'engine scheduler' and datname = current_database()`

test('a lost session of the scheduler is replaced by exactly one session, even if its socket closes late', async () => {
  proxy = await startDatabaseProxy(scheduling.db.url, 1000)
  const one = await scheduling.engine({
    HASURA_GRAPHQL_DATABASE_URL: proxy.url,
    // With a longer interval, the session is idle when the test terminates it.
    ENGINE_CRON_DELIVER_INTERVAL_MS: '300',
    HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_INTERVAL: '0',
  })
  await one.post('/v1/metadata', withCron())
  for (const _time of [1, 2]) {
    await scheduling.db.query(`select pg_terminate_backend(pid) ${SESSIONS}`)
    await sleep(2000)
  }
  expect((await scheduling.db.query(`select count(*)::int ${SESSIONS}`)).rows).toEqual([
    { count: 1 },
  ])
  await scheduling.db.query(ADD_DUE_EVENT)
  await scheduling.hook.waitForRequests(1)
})

test('requests and cron events continue after all connections stopped answering', async () => {
  proxy = await startDatabaseProxy(scheduling.db.url)
  const one = await scheduling.engine({
    HASURA_GRAPHQL_DATABASE_URL: proxy.url,
    HASURA_GRAPHQL_PG_CONNECTIONS: '2',
    ENGINE_STATEMENT_TIMEOUT_MS: '500',
  })
  await scheduling.db.query('create table lamp (id int primary key)')
  await one.post(
    '/v1/metadata',
    replace(metadata([table('lamp')], { cron_triggers: [{ ...CRON, retry_conf: {} }] })),
  )
  expect((await one.graphql('{ lamp { id } }')).body).toEqual({ data: { lamp: [] } })
  proxy.stallConnections()
  await scheduling.db.query(ADD_DUE_EVENT)
  await expect
    .poll(async () => (await one.graphql('{ lamp { id } }')).body, { timeout: 20_000 })
    .toEqual({ data: { lamp: [] } })
  await scheduling.hook.waitForRequests(1)
})
