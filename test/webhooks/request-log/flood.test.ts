import { expect } from 'vitest'
import { readRequestLog } from '../../support/hasura/read-request-log.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { post } from '../../support/webhooks/start-platform.ts'

const REQUESTS = 400

/** The number of statements of the log in the text of the metrics. */
const STATEMENTS = /graphql_request_seconds_count\{operation="RecordRefusedRequests"[^}]*\} (\d+)/

test('a flood of wrong requests to one app costs a statement a second, and no response waits for the log', async ({
  platform,
}) => {
  const team = await platform.team()
  const app = await platform.app({ team })
  const instance = await platform.anotherInstance()
  const statements = async () => {
    const [, count = '0'] = STATEMENTS.exec(await instance.registry.metrics()) ?? []
    return Number(count)
  }
  // While this transaction holds the lock of the log, a statement of the log waits.
  await platform.db.query('begin')
  await platform.db.query(`select pg_advisory_xact_lock(hashtextextended('refused_request', 0))`)
  const url = `${instance.baseUrl}/api/v2/verify/${app}`
  const startedAt = performance.now()
  const replies = await Promise.all(
    Array.from({ length: REQUESTS }, (_, n) => post(url, { [`field-${n}`]: n })),
  )
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]))
  await platform.db.query('commit')
  // The statement gives up after two seconds. This request has a row in any case.
  await post(url, {})
  const log = await readRequestLog(platform.db, app, 1)
  const seconds = Math.ceil((performance.now() - startedAt) / 1_000)
  await expect.poll(statements).toBeGreaterThan(0)
  expect(await statements()).toBeLessThanOrEqual(seconds)
  // All requests lack the same first field, so each statement has one row.
  expect(log.length).toBeLessThanOrEqual(seconds)
  await instance.stop()
})
