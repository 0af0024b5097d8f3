import { Client, Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import { makeAction, makeApp, makeTeam, type Team } from '../../support/webhooks/platform-rows.ts'

// The SQL functions of the request log. test/webhooks/request-log.test.ts tests the log over HTTP.

let db: Database
let team: Team

beforeAll(async () => {
  db = await database('platform')
  team = await makeTeam(db)
})
afterAll(() => db.drop())

test('a refused request is stored for the app with the id of the app, its relying party or its action', async () => {
  const app = await makeApp(db, { team })
  const action = await makeAction(db, app)
  const { rows } = await db.query('select rp_id from app where id = $1', [app])
  await record([row({ app }), row({ app: rows[0].rp_id }), row({ app: action })])
  expect(await logOf(app)).toHaveLength(3)
})

test('a refused request of an unknown app gets no row, and the other rows of the statement are stored', async () => {
  const app = await makeApp(db, { team })
  const unknown = `app_${'0'.repeat(32)}`
  expect(await record([row({ app: unknown }), row({ app })])).toHaveLength(1)
  expect(await logOf(app)).toHaveLength(1)
  expect(await logOf(unknown)).toEqual([])
})

test('an app keeps the last 1,000 rows, and the rows of another app stay', async () => {
  const [app, other] = [await makeApp(db, { team }), await makeApp(db, { team })]
  await record([row({ app: other })])
  for (let batch = 0; batch < 3; batch++)
    await record(Array.from({ length: 400 }, (_, n) => row({ app, request_id: `${batch}-${n}` })))
  const ids = await logOf(app)
  expect(ids).toHaveLength(1_000)
  expect(ids.at(0)).toBe('0-200')
  expect(ids.at(-1)).toBe('2-399')
  expect(await logOf(other)).toHaveLength(1)
})

test('a statement deletes the rows of its apps that are more than a day old', async () => {
  const app = await makeApp(db, { team })
  await record([row({ app, request_id: 'old', created_at: hoursAgo(25) })])
  await record([row({ app, request_id: 'new', created_at: hoursAgo(23) })])
  expect(await logOf(app)).toEqual(['new'])
})

test('a time in the future becomes the present, so that no row outlives the day', async () => {
  const app = await makeApp(db, { team })
  await record([row({ app, created_at: hoursAgo(-100) })])
  const { rows } = await db.query(
    'select created_at <= now() as is_past from refused_request where app_id = $1',
    [app],
  )
  expect(rows).toEqual([{ is_past: true }])
})

test('concurrent statements never leave an app with more than 1,000 rows', async () => {
  const app = await makeApp(db, { team })
  const pool = new Pool({ connectionString: db.url, max: 4 })
  const batch = JSON.stringify(Array.from({ length: 300 }, () => row({ app })))
  await Promise.all(
    [1, 2, 3, 4, 5].map(() => pool.query('select from record_refused_requests($1)', [batch])),
  )
  await pool.end()
  expect(await logOf(app)).toHaveLength(1_000)
})

test('an app that another transaction is deleting gets no row, and nothing waits for the transaction', async () => {
  const [app, other] = [await makeApp(db, { team }), await makeApp(db, { team })]
  const client = new Client(db.url)
  await client.connect()
  await client.query('begin')
  await client.query('delete from app where id = $1', [app])
  await record([row({ app }), row({ app: other })])
  await client.query('commit')
  await client.end()
  expect(await logOf(app)).toEqual([])
  expect(await logOf(other)).toHaveLength(1)
})

test('remove_old_refused_requests deletes rows that are more than a day old, the oldest first', async () => {
  const app = await makeApp(db, { team })
  const ages = { oldest: 40, old: 30, new: 1 }
  await record(
    Object.entries(ages).map(([request_id, hours]) =>
      row({ app, request_id, created_at: hoursAgo(hours) }),
    ),
  )
  // The statement above has already deleted the old rows.
  expect(await logOf(app)).toEqual(['new'])
  await db.query(
    `update refused_request set created_at = now() - interval '2 days' where app_id = $1`,
    [app],
  )
  await db.query('select from remove_old_refused_requests(1000)')
  expect(await logOf(app)).toEqual([])
})

type Row = Record<string, unknown>

function row(fields: Row): Row {
  return {
    created_at: nextTime(),
    endpoint: '/api/v2/verify',
    code: 'invalid_proof',
    attribute: null,
    detail: 'The proof is not valid for these values.',
    reasons: [],
    request_id: 'request',
    times: 1,
    ...fields,
  }
}

let time = Date.now() - 600_000

/** Returns a time that is later than the last one. The rows of an app are in the order of their times. */
function nextTime(): string {
  time += 1
  return new Date(time).toISOString()
}

function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString()
}

async function record(rows: readonly Row[]): Promise<unknown[]> {
  const result = await db.query('select * from record_refused_requests($1)', [JSON.stringify(rows)])
  return result.rows
}

/** Returns the request ids of an app's log, the oldest first. */
async function logOf(app: string): Promise<string[]> {
  const { rows } = await db.query<{ request_id: string }>(
    'select request_id from refused_request where app_id = $1 order by created_at, id',
    [app],
  )
  return rows.map(({ request_id }) => request_id)
}
