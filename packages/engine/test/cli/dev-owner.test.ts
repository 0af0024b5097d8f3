import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startPostgres } from '../../../../local/postgres/embedded-postgres.ts'
import { freePort } from '../../../../local/process/free-port.ts'
import { endDev, endEachDev, startDev } from '../support/cli/dev-command.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let project: ProjectFolder

beforeEach(() => {
  project = createProjectFolder()
})
afterEach(async () => {
  await endEachDev()
  project.remove()
})

type Dev = Awaited<ReturnType<typeof startDev>>

const addressOf = ({ output }: Dev) => /postgres:\/\/\S+/.exec(output())?.[0] ?? ''

/** Runs SQL as a caller without a secret. @returns the rows, or the error as text */
async function runSql({ output }: Dev, sql: string): Promise<unknown> {
  const [, url = ''] = /Console +(http:\S+)\/console/.exec(output()) ?? []
  const response = await fetch(`${url}/v2/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'run_sql', args: { source: 'default', sql } }),
  })
  const { result, ...refusal } = JSON.parse(await response.text())
  return response.ok ? result : JSON.stringify(refusal)
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client(url)
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

describe('a caller without a secret is not a superuser', () => {
  test('a caller without a secret runs SQL but reaches no program, file or superuser', async () => {
    const dev = await startDev(project, [])
    expect(await runSql(dev, 'select title from book')).toEqual([['title'], ['Emma']])
    for (const sql of FORBIDDEN) expect(await runSql(dev, sql), sql).toMatch(/42501/)
    expect(
      await runSql(dev, 'select rolname from pg_roles where rolsuper and rolcanlogin'),
    ).toEqual([['rolname'], ['dev_superuser']])
  })
})

const FORBIDDEN = [
  "copy book (title) from program 'id -un'",
  "copy book (title) to program 'cat'",
  "copy book (title) from '/etc/passwd'",
  "copy book (title) to '/tmp/books'",
  "select pg_read_file('/etc/passwd')",
  "select lo_import('/etc/passwd')",
  'create role other superuser',
  'alter role postgres superuser',
  'grant pg_execute_server_program to postgres',
  "alter role dev_superuser password 'known'",
  'set role dev_superuser',
  'set role dev_first_role',
  'create extension file_fdw',
  'create extension plpython3u',
  "set extension_control_path = '/tmp'",
]

describe('migrations can run statements that need special rights', () => {
  test('migrations can create extensions, roles and schemas', async () => {
    project.write('migrations/default/2_more/up.sql', MIGRATION)
    const dev = await startDev(project, [])
    expect(dev.output()).toContain('Ready.')
    const names = 'select extname from pg_extension order by extname'
    expect((await query(addressOf(dev), names)).flat()).toEqual([...EXTENSIONS, 'plpgsql'].sort())
    const distance = `select (earth_distance(ll_to_earth(0, 0), ll_to_earth(0, 1)) / 1000)::integer`
    expect(await query(addressOf(dev), distance)).toEqual([[111]])
    const buffer = 'select bufferid from pg_buffercache limit 1'
    expect(await query(addressOf(dev), buffer)).toEqual([[1]])
  })
})

const EXTENSIONS = [
  'autoinc',
  'bloom',
  'btree_gist',
  'citext',
  'cube',
  'earthdistance',
  'hstore',
  'insert_username',
  'ltree',
  'moddatetime',
  'pg_buffercache',
  'pg_freespacemap',
  'pg_stat_statements',
  'pg_trgm',
  'pg_visibility',
  'pgcrypto',
  'pgrowlocks',
  'pgstattuple',
  'refint',
  'unaccent',
  'uuid-ossp',
]

const MIGRATION = `
${EXTENSIONS.map((name) => `create extension if not exists "${name}";`).join('\n')}
comment on extension plpgsql is 'as pg_dump writes it';
create role reporting nologin;
grant reporting to postgres;
create schema reports authorization postgres;
alter table book owner to postgres;
alter default privileges in schema reports grant select on tables to reporting;
create table reports.sale (id serial primary key, changed timestamptz);
create trigger touch before update on reports.sale
for each row execute function moddatetime(changed);
grant usage on schema reports to reporting;
alter table reports.sale enable row level security;
set session_replication_role = replica;
set session_replication_role = origin;
create publication sales for table reports.sale;`

describe('dev opens the data of an earlier version', () => {
  test('data of an earlier version keeps its rows and gets an owner that is not a superuser', async () => {
    project.write('migrations/default/1_books/up.sql', 'select 1')
    const data = await earlierData()
    const dev = await startDev(project, ['--data', data])
    expect(dev.output()).toContain('Ready.')
    expect(await dev.books()).toEqual({ data: { book: [{ title: 'Persuasion' }] } })
    const url = addressOf(dev)
    expect(await query(url, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
      [false],
    ])
    for (const change of CHANGES) await query(url, change)
    const other = Object.assign(new URL(url), { pathname: '/weather' }).href
    await query(other, 'alter table station add town text')
    expect(await runSql(dev, "copy book (title) from program 'id -un'")).toMatch(/42501/)
    await endDev(dev.child)
    const again = await startDev(project, ['--data', data])
    expect(await again.books()).toEqual({ data: { book: [{ title: 'Persuasion' }] } })
    expect(addressOf(again)).toBe(url)
  })

  test('dev stores both passwords in files that only their owner can read', async () => {
    await startDev(project, ['--data', 'data'])
    for (const name of ['password', 'superuser-password'])
      expect(statSync(join(project.folder, 'data', name)).mode & 0o777).toBe(0o600)
  })
})

/** Statements that only the owner of an object can run. */
const CHANGES = [
  'alter table book add isbn text',
  'drop view title',
  'drop materialized view titles',
  'create or replace function shout(text) returns text language sql as $$select upper($1)$$',
  'alter type binding rename value $$paper$$ to $$soft$$',
  'alter domain isbn drop constraint isbn_check',
  'alter type size rename attribute width to breadth',
  'drop aggregate longest(text)',
  'drop operator === (text, text)',
  'drop collation german',
  'drop statistics pairs',
  'alter sequence number restart',
  'alter schema archive rename to store',
  'alter table store.part detach partition store.part_one',
  'drop extension hstore',
  'drop procedure nothing',
]

/** Creates data as an earlier version did, with `postgres` as a superuser. @returns the data's folder */
async function earlierData(): Promise<string> {
  const folder = join(project.folder, 'data')
  const password = 'earlier'
  const server = await startPostgres({
    folder: join(folder, 'postgres'),
    port: await freePort(),
    password,
  })
  writeFileSync(join(folder, 'password'), password, { mode: 0o600 })
  writeFileSync(join(folder, 'seeded'), '')
  await query(server.url, EARLIER)
  await query(server.url, 'create database weather')
  const weather = Object.assign(new URL(server.url), { pathname: '/weather' }).href
  await query(weather, 'create table station (id serial primary key)')
  await server.stop()
  return folder
}

const EARLIER = `
create table book (id int generated always as identity primary key, title text not null);
insert into book (title) values ('Persuasion');
create view title as select title from book;
create materialized view titles as select title from book;
create function shout(text) returns text language sql as $$select $1$$;
create procedure nothing() language sql as '';
create type binding as enum ('paper', 'cloth');
create type size as (width int, height int);
create type span as range (subtype = int);
create domain isbn as text constraint isbn_check check (value <> '');
create function longer(text, text) returns text language sql as $$select $1$$;
create aggregate longest(text) (sfunc = longer, stype = text);
create function same(text, text) returns boolean language sql as $$select true$$;
create operator === (leftarg = text, rightarg = text, function = same);
create collation german (provider = builtin, locale = 'C');
create statistics pairs on id, title from book;
create sequence number;
create schema archive;
create table archive.part (id int) partition by range (id);
create table archive.part_one partition of archive.part for values from (1) to (2);
create extension hstore;
create role clerk;
grant select on book to clerk;`
