import { readFileSync } from 'node:fs'
import { Client, escapeLiteral } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../support/database.ts'
import { makeAction, makeApp, makeTeam, type Team } from '../support/webhooks/platform-rows.ts'

/** More than two batches of ops/delete-action.sql. */
const PEOPLE = 25_000

let db: Database
let team: Team

beforeAll(async () => {
  db = await database('platform')
  team = await makeTeam(db)
})
afterAll(() => db.drop())

test('an action is deleted in batches and counts no person during the deletion, and other actions keep their people', async () => {
  const action = await makeAction(db, await appOfTeam(), { max_verifications: 0 })
  const other = await makeAction(db, await appOfTeam(), { max_verifications: 0 })
  await addPeople(action, PEOPLE)
  await addPeople(other, 10)

  const counts: number[] = []
  const deleting = deleteAction(action)
  let isOver = false
  void deleting.finally(() => {
    isOver = true
  })
  while (!isOver) {
    counts.push(await countPeople(action))
    if (counts.some((count) => count < PEOPLE)) expect(await record(action, 1)).toEqual([])
  }
  await deleting

  expect(new Set(counts).size).toBeGreaterThan(1)
  expect(await countPeople(action)).toBe(0)
  expect(await countPeople(other)).toBe(10)
  expect(await record(other, 1)).toHaveLength(1)
  const { rows } = await db.query('select from action where id = $1', [action])
  expect(rows).toEqual([])
})

test('a second run deletes an action after the first run was interrupted', async () => {
  const action = await makeAction(db, await appOfTeam(), { max_verifications: 0 })
  await addPeople(action, PEOPLE)
  await db.query(`create function interrupt() returns trigger language plpgsql
    as 'begin raise exception ''interrupted''; end'`)
  await db.query('create trigger interrupt before delete on action execute function interrupt()')
  await expect(deleteAction(action)).rejects.toThrow('interrupted')
  await db.query('drop trigger interrupt on action')
  await deleteAction(action)
  const { rows } = await db.query('select from action where id = $1', [action])
  expect(rows).toEqual([])
})

test('delete-action.sql refuses the sign-in action and an unknown action', async () => {
  const { rows } = await db.query<{ id: string }>(
    "select id from action where app_id = $1 and action = ''",
    [await appOfTeam()],
  )
  for (const id of [rows[0]?.id ?? 'none', 'action_none'])
    await expect(deleteAction(id)).rejects.toThrow(
      `there is no action ${id}, or it is the sign-in action`,
    )
})

/** Runs the script like psql: fills in the variable, and runs one statement after the other. Leaves out the pause. */
async function deleteAction(id: string): Promise<void> {
  const script = readFileSync('ops/delete-action.sql', 'utf8')
    .replace(/^\\if .*\n\\endif$/ms, '')
    .replaceAll(":'action'", escapeLiteral(id))
    .replace('pg_sleep(10)', 'pg_sleep(0)')
  const client = new Client(db.url)
  await client.connect()
  try {
    for (const statement of script.split(/;\n(?=\n|select|$)/)) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function addPeople(action: string, people: number): Promise<void> {
  await db.query(
    `insert into nullifier (action_id, nullifier_hash)
    select $1, '0x' || lpad(to_hex(n), 64, '0') from generate_series(1, $2::int) n`,
    [action, people],
  )
}

async function countPeople(action: string): Promise<number> {
  const { rows } = await db.query<{ people: number }>(
    'select count(*)::int as people from nullifier where action_id = $1',
    [action],
  )
  return rows[0]?.people ?? -1
}

async function record(action: string, person: number) {
  const hash = `0x${person.toString(16).padStart(64, '0')}`
  const { rows } = await db.query("select * from record_nullifier($1, $2, '3.0')", [action, hash])
  return rows
}

function appOfTeam(): Promise<string> {
  return makeApp(db, { team })
}
