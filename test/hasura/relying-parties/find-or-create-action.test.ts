import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import { makeApp, makeTeam } from '../../support/webhooks/platform-rows.ts'

let db: Database
let clients: Client[]

beforeAll(async () => {
  db = await database('platform')
  clients = Array.from({ length: 8 }, () => new Client(db.url))
  await Promise.all(clients.map((client) => client.connect()))
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()))
  await db.drop()
})

const FIND_OR_CREATE = 'select protocol from find_or_create_action($1, $2)'

test('an action that a member inserts at the same moment is found, without a deadlock', async () => {
  const team = await makeTeam(db)
  const app = await creatingApp(team)
  const [member, service] = clients
  await member?.query('begin')
  await member?.query(`select set_config('hasura.user', $1, true)`, [
    JSON.stringify({ 'x-hasura-role': 'api_key', 'x-hasura-team-id': team.id }),
  ])
  await member?.query("insert into action (app_id, action) values ($1, 'same')", [app])
  const finding = service?.query(FIND_OR_CREATE, [app, 'same'])
  await expect
    .poll(async () => {
      const { rows } = await db.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rows.length
    })
    .toBe(1)
  await member?.query('commit')
  expect((await finding)?.rows).toEqual([{ protocol: '3.0' }])
})

test('an identifier that begins or ends with a space creates no action', async () => {
  const app = await creatingApp(await makeTeam(db))
  for (const action of [' vote', 'vote ', '\u00a0vote'])
    expect((await db.query(FIND_OR_CREATE, [app, action])).rows).toEqual([])
  expect((await db.query(FIND_OR_CREATE, [app, 'vote'])).rows).toEqual([{ protocol: '4.0' }])
})

test('simultaneous first proofs of different actions create no more actions than the quota', async () => {
  const app = await creatingApp(await makeTeam(db))
  // The sign-in action counts as well.
  await db.query("update quota set most = 4 where kind = 'action'")
  const outcomes = await Promise.allSettled(
    clients.map((client, n) => client.query(FIND_OR_CREATE, [app, `action-${n}`])),
  )
  const refusals = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason.message] : [],
  )
  expect(refusals).toEqual(Array(5).fill('quota_exceeded: at most 4 actions in a team'))
  const { rows } = await db.query('select from action where app_id = $1', [app])
  expect(rows).toHaveLength(4)
})

test.each(['creates_actions = false', 'is_archived = true', "status = 'inactive'"])(
  'an app with %s creates no action, and none of its actions is found',
  async (change) => {
    const app = await creatingApp(await makeTeam(db))
    await db.query(`update app set ${change} where id = $1`, [app])
    for (const action of ['new', ''])
      expect((await db.query(FIND_OR_CREATE, [app, action])).rows).toEqual([])
  },
)

async function creatingApp(team: Awaited<ReturnType<typeof makeTeam>>) {
  const app = await makeApp(db, { team })
  await db.query('update app set creates_actions = true where id = $1', [app])
  return app
}
