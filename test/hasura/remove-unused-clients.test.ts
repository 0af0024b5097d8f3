import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'

let db: Database

beforeAll(async () => {
  db = await database('platform')
})
afterAll(() => db.drop())

test('record_nullifier stores and returns no row while the client of the action is being removed', async () => {
  await db.query(
    `select from register_client(
      'Website', '["https://website.example/"]', 'web', '["code"]', repeat('0', 64), repeat('0', 64))`,
  )
  const { rows } = await db.query<{ id: string }>("select id from action where action = ''")
  const action = rows[0]?.id
  await db.query("update sign_in_client set registered_at = now() - interval '31 days'")
  // Makes the removal last a second, so that the verification happens during it.
  await db.query(`create function pause() returns trigger language plpgsql
    as 'begin perform pg_sleep(1); return old; end'`)
  await db.query('create trigger pause before delete on team for each row execute function pause()')

  const cleaner = new Client(db.url)
  await cleaner.connect()
  const removing = cleaner.query('select * from remove_unused_clients()')
  await expect.poll(isPausing).toBe(true)
  const hash = `0x${'1'.padStart(64, '0')}`
  const countResult = await db.query("select * from record_nullifier($1, $2, '3.0')", [
    action,
    hash,
  ])
  const { rows: removedRows } = await removing
  await cleaner.end()

  const { rows: nullifierRows } = await db.query(
    'select from nullifier where nullifier_hash = $1',
    [hash],
  )
  expect(nullifierRows).toHaveLength(countResult.rows.length)
  expect(removedRows).toHaveLength(1)
})

async function isPausing(): Promise<boolean> {
  const { rows } = await db.query(
    "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'",
  )
  return rows.length > 0
}
