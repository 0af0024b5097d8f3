import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Environment, SignInEnvironment } from '../../lib/runtime/config.ts'
import { startPostgres } from '../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../local/process/free-port.ts'
import { temporaryFolder } from '../../local/process/temporary-folder.ts'
import { createRoles } from '../../packages/platform/parts/database-roles.ts'
import { type Database, database } from '../support/database.ts'

const ROLES = ['hasura', 'sign_in'] as const

/** SQLSTATE 42501: the role lacks a privilege. */
const NO_PRIVILEGE = { code: '42501' }

let db: Database
const clients: Record<(typeof ROLES)[number], Client> = {
  hasura: new Client(),
  sign_in: new Client(),
}

beforeAll(async () => {
  db = await database('platform')
  for (const role of ROLES) {
    clients[role] = new Client(db.as(role))
    await clients[role].connect()
  }
})
afterAll(async () => {
  for (const role of ROLES) await clients[role].end()
  await db.drop()
})

describe('the role sign_in has only the privileges that it needs', () => {
  test('the role sign_in reads the table oidc_artifact and no other table', async () => {
    const { rows } = await db.query(`
      select oid::regclass::text as name
      from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')`)
    const names: string[] = rows.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['"user"', 'api_key', 'nullifier', 'jwks']))
    for (const name of names.filter((each) => each !== 'oidc_artifact'))
      await expect(clients.sign_in.query(`select from ${name}`), name).rejects.toMatchObject(
        NO_PRIVILEGE,
      )
    await clients.sign_in.query('select from oidc_artifact')
  })

  test('the role sign_in has four privileges on oidc_artifact, and none on functions', async () => {
    const { rows: onTables } = await db.query(`
      select table_name, privilege_type
      from information_schema.table_privileges
      where grantee in ('sign_in', 'PUBLIC') and table_schema not in ('pg_catalog', 'information_schema')
      order by privilege_type`)
    expect(onTables).toEqual(
      ['DELETE', 'INSERT', 'SELECT', 'UPDATE'].map((privilege_type) => ({
        table_name: 'oidc_artifact',
        privilege_type,
      })),
    )
    const { rows: functions } = await db.query(`
      select proname
      from pg_proc
      where pronamespace = 'public'::regnamespace and has_function_privilege('sign_in', oid, 'execute')`)
    expect(functions).toEqual([])
  })

  test.each([
    'create table mine (id integer)',
    'create temporary table mine (id integer)',
    'create schema mine',
    'create role mine',
    'create database mine',
    'alter table oidc_artifact add column mine integer',
    'truncate oidc_artifact',
    'set role hasura',
    "copy oidc_artifact to program 'cat'",
    "select pg_read_file('postgresql.conf')",
    'select from pg_authid',
  ])('the role sign_in may not run: %s', async (statement) => {
    await expect(clients.sign_in.query(statement)).rejects.toMatchObject(NO_PRIVILEGE)
  })

  test('the role sign_in may open five times as many connections as a pool has by default', async () => {
    const { rows } = await db.query("select rolconnlimit from pg_roles where rolname = 'sign_in'")
    const { DATABASE_POOL_SIZE: size } = SignInEnvironment.shape
    expect(rows).toEqual([{ rolconnlimit: 5 * size.parse(undefined) }])
  })
})

describe('the role hasura owns the tables and functions, and is no superuser', () => {
  test('the role hasura owns every table and function', async () => {
    const { rows } = await db.query(`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relowner <> 'hasura'::regrole
      union all
      select proname from pg_proc
      where pronamespace = 'public'::regnamespace and proowner <> 'hasura'::regrole`)
    expect(rows).toEqual([])
  })

  test.each([
    'create role mine',
    'create database mine',
    'alter role hasura connection limit 5',
    "copy nullifier to program 'cat'",
    "select pg_read_file('postgresql.conf')",
    'select from pg_authid',
    "alter system set log_statement = 'all'",
  ])('the role hasura may not run: %s', async (statement) => {
    await expect(clients.hasura.query(statement)).rejects.toMatchObject(NO_PRIVILEGE)
  })
})

describe.each(ROLES)('the statements of the role %s have time limits', (role) => {
  test('a statement may take as long as a service waits for Hasura, and a wait for a lock must be shorter', async () => {
    const settings = [
      'statement_timeout',
      'lock_timeout',
      'idle_in_transaction_session_timeout',
      'transaction_timeout',
    ]
    const { rows } = await clients[role].query('select current_setting(unnest($1::text[]))', [
      settings,
    ])
    const timeoutMs = Environment.shape.HASURA_TIMEOUT_MS.parse(undefined)
    const limits = rows.map(({ current_setting }) => current_setting)
    expect(limits).toEqual([`${timeoutMs / 1_000}s`, '3s', '10s', '15s'])
  })

  test('a statement that waits too long for a lock fails with lock_not_available', async () => {
    await db.query('begin; lock table oidc_artifact in access exclusive mode')
    const blockedQuery = clients[role].query('select from oidc_artifact')
    await expect(blockedQuery).rejects.toMatchObject({ code: '55P03' })
    await db.query('rollback')
  })
})

test('createRoles changes the passwords of existing roles, and the old passwords stop working', async () => {
  const folder = temporaryFolder('test-roles-')
  const options = { folder: join(folder, 'data'), port: await freePort() }
  const server = await startPostgres(options)
  const before = await createRoles(server.url, { hasura: 'one', signIn: 'two' })
  const after = await createRoles(server.url, { hasura: "it's $1", signIn: '$& \\' })
  for (const url of [after.hasuraUrl, after.signInUrl]) {
    const client = new Client(url)
    await client.connect()
    await client.end()
  }
  for (const url of [before.hasuraUrl, before.signInUrl])
    await expect(new Client(url).connect()).rejects.toMatchObject({ code: '28P01' })
  await server.stop()
  rmSync(folder, { recursive: true })
})
