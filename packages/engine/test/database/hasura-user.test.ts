import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../../../../test/support/database.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'
import type { ServedEngine } from '../support/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table seen_user (id text);
    create function note_user() returns trigger language plpgsql as $$
    begin
      insert into seen_user values (current_setting('hasura.user', true)::json ->> 'x-hasura-user-id');
      return case when tg_level = 'STATEMENT' then null when tg_op = 'DELETE' then old else new end;
    end $$;
    create table item (id int primary key, label text)`)
  engine = await serveEngineHere(db.url)
  await engine.post('/v1/metadata', replace(metadata([table('item')])))
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

const ada = { 'x-hasura-user-id': 'ada' }

/** Returns and deletes the users that the trigger has recorded. */
async function seenUsers(): Promise<unknown[]> {
  const { rows } = await db.query('delete from seen_user returning id')
  return rows.map(({ id }) => id)
}

test.each([
  ['before', 'row'],
  ['after', 'row'],
  ['before', 'statement'],
  ['after', 'statement'],
])(
  'hasura.user names the caller in a trigger created while the engine runs: %s, for each %s',
  async (when, level) => {
    await db.query(
      `create trigger note_user ${when} insert or update or delete on item for each ${level} execute function note_user()`,
    )
    const changes = [
      'insert_item_one(object: {id: 1, label: "a"}) {id label}',
      'insert_item(objects: [{id: 2}, {id: 3}]) {affected_rows}',
      'update_item(where: {id: {_eq: 1}}, _set: {label: "b"}) {affected_rows}',
      'delete_item(where: {id: {_eq: 2}}) {affected_rows}',
      'delete_item(where: {}) {returning {id}}',
    ]
    for (const change of changes) {
      expect((await engine.graphql(`mutation {${change}}`, {}, ada)).text).not.toContain('errors')
      expect(new Set(await seenUsers())).toEqual(new Set(['ada']))
    }
    await db.query('drop trigger note_user on item')
  },
)

test.each([
  ['a default', "alter table item alter label set default current_setting('hasura.user', true)"],
  [
    'a default that calls a function',
    `create function current_user_setting() returns text language plpgsql as $$ begin return current_setting('hasura.user', true); end $$;
     alter table item alter label set default current_user_setting()`,
  ],
])('hasura.user names the caller in %s set while the engine runs', async (_what, change) => {
  await db.query(change)
  const { text } = await engine.graphql(
    'mutation {insert_item_one(object: {id: 1}) {label}}',
    {},
    ada,
  )
  expect(text).toContain('ada')
  await db.query('delete from item; alter table item alter label drop default')
})
