import { afterAll, beforeAll, expect, test } from 'vitest'
import { externalNullifier, formatField } from '../../../lib/proof/encoding.ts'
import { freePort } from '../../../local/process/free-port.ts'
import { smtpServer } from '../../support/webhooks/smtp-server.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let smtp: ReturnType<typeof smtpServer>

/** Starts a platform with an engine that delivers due schedules and events every 50 ms. */
beforeAll(async () => {
  smtp = smtpServer(await freePort())
  await smtp.start()
  const services = { SMTP_URL: smtp.url }
  platform = await startTestPlatform(services, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
    ENGINE_CRON_DELIVER_INTERVAL_MS: '50',
    HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '50',
  }))
})
afterAll(async () => {
  await platform.stop()
  await smtp.stop()
})

test.each(['addresses', 'expire', 'mail', 'prices', 'signing_key', 'transactions'])(
  'the schedule %s calls its endpoint',
  async (name) => {
    await makeDue(name)
    await until(
      `select status, tries from hdb_catalog.hdb_cron_events
    where trigger_name = '${name}' and scheduled_time < now() - interval '1 second'
    order by scheduled_time limit 1`,
    ).toEqual([{ status: 'delivered', tries: 1 }])
  },
)

test('the schedule `addresses` looks up the addresses of the groups’ contracts again', async () => {
  await platform.db.query('delete from cache')
  await makeDue('addresses')
  await until('select count(*)::int from cache').toEqual([{ count: 2 }])
})

test('the schedule mail sends a mail that was not sent immediately', async () => {
  await platform.db.query(
    `with person as (
      insert into "user" (email, name, password_hash) values ('ada@example.com', 'Ada', 'hash') returning id
    )
    insert into mail (user_id, kind, due_at) select id, 'verify_email', now() + interval '1 hour' from person`,
  )
  await until("select delivered from hdb_catalog.event_log where trigger_name = 'mail'").toEqual([
    { delivered: true },
  ])
  await platform.db.query('update mail set due_at = now()')
  await makeDue('mail')
  await until('select sent_at is not null as sent from mail').toEqual([{ sent: true }])
  expect(smtp.received.map(({ to }) => to)).toEqual([['ada@example.com']])
})

test('by default no schedule creates signing keys', async () => {
  await until(
    'select distinct trigger_name as name from hdb_catalog.hdb_cron_events order by name',
  ).toEqual([
    { name: 'addresses' },
    { name: 'expire' },
    { name: 'mail' },
    { name: 'prices' },
    { name: 'signing_key' },
    { name: 'transactions' },
  ])
  expect((await platform.db.query('select from jwks')).rowCount).toBe(0)
})

test('every new action gets its external nullifier, including the sign-in action', async () => {
  const app = await platform.app({ team: await platform.team() })
  await platform.action(app, { action: 'vote' })
  await until(
    `select action, external_nullifier from action where app_id = '${app}' order by action`,
  ).toEqual(
    ['', 'vote'].map((action) => ({
      action,
      external_nullifier: formatField(externalNullifier(app, action)),
    })),
  )
})

/** Adds an event of the schedule that is due now. */
async function makeDue(name: string) {
  await platform.db.query(
    `insert into hdb_catalog.hdb_cron_events (trigger_name, scheduled_time)
    values ($1, date_trunc('second', now()) - interval '30 seconds') on conflict do nothing`,
    [name],
  )
}

function until(sql: string) {
  return expect.poll(async () => (await platform.db.query(sql)).rows, {
    interval: 50,
  })
}
