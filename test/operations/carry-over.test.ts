import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type RunningEngine, startEngine } from '../../packages/engine/test/support/start-engine.ts'
import { createRoles } from '../../packages/platform/parts/database-roles.ts'
import { type Database, database } from '../support/database.ts'
import { engineEnvironment } from '../support/webhooks/platform-environment.ts'
import { makeAction, makeApp, makeTeam } from '../support/webhooks/platform-rows.ts'

// Runs the SQL files with which docs/operations/upgrade.md carries rows over, on two versions that differ as little as possible.
// upgrade.test.ts runs two versions with their services.

let db: Database
let engine: RunningEngine
const notices: string[] = []
const PERSON = `0x${'7'.padStart(64, '0')}`
let action: string
let earlierRows: unknown

beforeAll(async () => {
  db = await database()
  engine = await startMigratedEngine()
  const team = await makeTeam(db)
  action = await makeAction(db, await makeApp(db, { team, is_staging: false }))
  await db.query("select from record_nullifier($1, $2, '3.0')", [action, PERSON])
  await db.query("update quota set most = 12345 where kind = 'app'")
  earlierRows = await readRows()
  await engine.stop()
  // Makes the earlier version differ: two columns and a table that this version lacks, and two columns fewer.
  await db.query(`
    alter table nullifier add column id text default 'nil_1';
    alter table app drop column is_verified cascade;
    alter table team rename column created_at to made_at;
    create table gone (id int primary key);
    insert into gone values (1);
  `)
})
afterAll(async () => {
  await engine.stop()
  await db.drop()
})

/** Runs a file of ops/carry-over, and collects its notices. */
async function runFile(name: string) {
  const client = new Client(db.url)
  client.on('notice', ({ message }) => notices.push(String(message)))
  await client.connect()
  await client.query(readFileSync(`ops/carry-over/${name}.sql`, 'utf8')).finally(() => client.end())
}

/** Starts the engine, which applies the migrations of this version. */
async function startMigratedEngine() {
  const { hasura, signIn } = inject('rolePasswords')
  const { hasuraUrl } = await createRoles(db.url, { hasura, signIn })
  return startEngine(hasuraUrl, {
    ...engineEnvironment('http://127.0.0.1:9'),
    HASURA_GRAPHQL_MIGRATIONS_DIR: 'hasura/migrations',
  })
}

async function readRows() {
  const { rows } = await db.query(`
    select
      (select jsonb_agg(to_jsonb(app) - 'updated_at') from app) as apps,
      (select jsonb_agg(to_jsonb(action)) from action) as actions,
      (select jsonb_agg(to_jsonb(api_key)) from api_key) as keys,
      (select jsonb_agg(to_jsonb(nullifier)) from nullifier) as nullifiers,
      (select count(*) from audit) as audits,
      (select most from quota where kind = 'app') as quota`)
  return rows
}

test('the upgrade keeps ids, keys and quotas, and a person counted before is not counted again', async () => {
  await runFile('set-aside')
  engine = await startMigratedEngine()
  expect((await db.query('select from action')).rows).toEqual([])
  await runFile('copy-rows')
  expect(await readRows()).toEqual(earlierRows)
  const { rows } = await db.query("select * from record_nullifier($1, $2, '3.0')", [action, PERSON])
  expect(rows).toEqual([])
  const newPerson = await db.query("select uses from record_nullifier($1, $2, '3.0')", [
    action,
    PERSON.replace('7', '8'),
  ])
  expect(newPerson.rows).toEqual([{ uses: 1 }])
})

test('the notices name each table, its number of rows, and columns and tables that are not copied', () => {
  expect(notices).toContain('nullifier: 1 rows, without id')
  expect(notices).toContain('team: 1 rows, without made_at')
  expect(notices).toContain('gone: not copied, this version has no such table')
})

test('a second run of copy-rows.sql is refused, because it would reset counts', async () => {
  await db.query('update nullifier set uses = 2')
  await expect(runFile('copy-rows')).rejects.toThrow('this version has teams')
  const { rows } = await db.query('select uses from nullifier where nullifier_hash = $1', [PERSON])
  expect(rows).toEqual([{ uses: 2 }])
})

test('copy-rows.sql copies no row if one row refers to a missing row', async () => {
  await db.query('truncate team cascade')
  // The earlier version lacked these foreign keys.
  await db.query(`alter table earlier.membership
    drop constraint membership_team_id_fkey, drop constraint membership_user_id_fkey`)
  await db.query(
    "insert into earlier.membership (id, team_id, user_id, role) select 'memb_1', 'team_none', 'usr_none', 'OWNER'",
  )
  await expect(runFile('copy-rows')).rejects.toThrow(
    /a row of membership refers to a missing row of/,
  )
  expect((await db.query('select from team')).rows).toEqual([])
  expect((await db.query('select from nullifier')).rows).toEqual([])
})

test('undo.sql restores the tables and rows of the earlier version, and prints only the people kept', async () => {
  await engine.stop()
  notices.length = 0
  await runFile('undo')
  expect(notices).toEqual(['nullifier: 0 people counted since the upgrade are kept'])
  const { rows } = await db.query('select id, uses from nullifier')
  expect(rows).toEqual([{ id: 'nil_1', uses: 1 }])
  await expect(db.query('select from earlier.team')).rejects.toThrow('does not exist')
})
