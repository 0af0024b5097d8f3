import { randomBytes } from 'node:crypto'
import { keccak256, stringToBytes, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import { makeAction, makeApp, makeTeam } from '../../support/webhooks/platform-rows.ts'

let db: Database

beforeAll(async () => {
  db = await database('platform')
})
afterAll(() => db.drop())

test("keccak_256 returns the hash of viem for every length up to three blocks of Keccak's rate", async () => {
  const messages = Array.from({ length: 3 * 136 + 2 }, (_, length) => randomBytes(length))
  const { rows } = await db.query(
    'select keccak_256(message) as hash from unnest($1::bytea[]) as message',
    [messages],
  )
  expect(rows.map(({ hash }) => toHex(hash))).toEqual(messages.map((message) => keccak256(message)))
})

test.each([
  ['app_d8bbd5341f16fb97a61e644b7e169c0e', 'rp_7b4f23dd5fb2a826'],
  ['app_75c2486e930cb8c0026266335c869b7a', 'rp_9b6853dacd0dbcb1'],
])('the rp id of the public example %s is %s', async (app, rpId) => {
  const { rows } = await db.query('select rp_id_of($1) as rp_id', [app])
  expect(rows).toEqual([{ rp_id: rpId }])
})

test('each of a thousand new apps has the rp id that viem computes, through an index', async () => {
  const team = await makeTeam(db)
  await db.query(
    "insert into app (team_id, name, is_staging) select $1, 'App', n % 2 = 0 from generate_series(1, 1000) n",
    [team.id],
  )
  const { rows } = await db.query('select id, rp_id from app')
  expect(rows).toHaveLength(1_000)
  for (const { id, rp_id } of rows)
    expect(rp_id).toBe(`rp_${keccak256(stringToBytes(id)).slice(2, 18)}`)
  await db.query('analyze app')
  const plan = await db.query("explain select id from app where rp_id = 'rp_7b4f23dd5fb2a826'")
  expect(JSON.stringify(plan.rows)).toContain('app_rp_id_key')
})

test('no statement can set an rp id', async () => {
  const team = await makeTeam(db)
  const app = await makeApp(db, { team })
  await expect(
    db.query("update app set rp_id = 'rp_0000000000000000' where id = $1", [app]),
  ).rejects.toMatchObject({ code: '428C9' })
})

test('a row that is inserted with an empty search_path, as by pg_restore, gets its rp id', async () => {
  const team = await makeTeam(db)
  await db.query('begin')
  await db.query("set local search_path = ''; set local session_replication_role = 'replica'")
  const { rows } = await db.query(
    "insert into public.app (id, team_id, name) values ('app_d8bbd5341f16fb97a61e644b7e169c0e', $1, 'App') returning rp_id",
    [team.id],
  )
  await db.query('rollback')
  expect(rows).toEqual([{ rp_id: 'rp_7b4f23dd5fb2a826' }])
})

test('the audit trail has each change of the columns of protocol 4.0', async () => {
  const team = await makeTeam(db)
  const app = await makeApp(db, { team })
  const action = await makeAction(db, app)
  await db.query('update app set creates_actions = true where id = $1', [app])
  await db.query("update action set protocol = 'both', allows_repeat = true where id = $1", [
    action,
  ])
  const { rows } = await db.query(
    `select subject, changes from audit
    where subject_id in ($1, $2) and operation = 'update' order by created_at, subject desc`,
    [app, action],
  )
  expect(rows).toEqual([
    { subject: 'app', changes: { creates_actions: { old: false, new: true } } },
    {
      subject: 'action',
      changes: {
        protocol: { old: '3.0', new: 'both' },
        allows_repeat: { old: false, new: true },
      },
    },
  ])
})
