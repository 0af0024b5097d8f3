import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLogger } from '../../../../lib/runtime/log/log.ts'
import { type Database, database } from '../../../../test/support/database.ts'
import { readConfig } from '../../config/config.ts'
import { Metadata } from '../../metadata/metadata.ts'
import { type Engine, openEngine } from '../../runtime/engine.ts'
import { prepareOperation } from '../../runtime/run/prepare.ts'

let db: Database
let engine: Engine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create function made() returns int language sql as 'select 1';
    create function counts() returns trigger language plpgsql as 'begin return null; end';
    create table author (id int primary key, name text not null, owner int);
    create table article (id int primary key, author_id int not null references author, title text);
    create table note (id int primary key default made(), author_id int references author);
    create table tale (id int primary key, author_id int references author);
    create trigger counting after insert on tale for each row execute function counts()`)
  const config = readConfig({ HASURA_GRAPHQL_DATABASE_URL: db.url })
  engine = await openEngine(config, createLogger('test', 'silent'))
  expect(await engine.replaceMetadata(Metadata.parse(METADATA))).toEqual([])
})
afterAll(async () => {
  await engine?.close()
  await db?.drop()
})

const METADATA = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [
        {
          table: 'author',
          array_relationships: [
            {
              name: 'articles',
              using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
            },
          ],
          select_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['id', 'name'],
                filter: { owner: { _eq: 'X-Hasura-User-Id' } },
              },
            },
          ],
        },
        {
          table: 'article',
          object_relationships: [
            { name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
          ],
        },
        ...['note', 'tale'].map((table) => ({
          table,
          object_relationships: [
            { name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
          ],
        })),
      ],
    },
  ],
}

/** A client that never disconnects. */
const CLIENT = { headers: {}, requestId: 'test', signal: new AbortController().signal }

async function statements(query: string, variables: Record<string, unknown> = {}, role = 'admin') {
  const variablesOfSession = new Map([
    ['x-hasura-role', role],
    ['x-hasura-user-id', '7'],
  ])
  const session = {
    role,
    variables: variablesOfSession,
    backendOnly: false,
    expiresAt: null,
    basis: 'secret' as const,
  }
  const { plan } = await prepareOperation(
    engine,
    { query, variables, operationName: null, api: 'graphql' },
    { session, client: CLIENT },
  )
  const all = plan.batches.flatMap((batch) => batch.statements)
  return all.map(({ text, parameters }) => ({
    text,
    values: parameters.map(({ read }) => read({ variables, session })),
  }))
}

/** Returns the statements of a mutation, without a statement that only sets the session. */
async function mutationStatements(mutation: string) {
  return (await statements(mutation)).filter(
    ({ text }) => !text.startsWith("select set_config('hasura.user'"),
  )
}

test('a query of a row by key runs as one select that contains the permission', async () => {
  const query = 'query ($id: Int!) {author_by_pk(id: $id) {id name}}'
  expect(await statements(query, { id: 3 }, 'user')).toEqual([
    {
      text:
        'select ((select row_to_json("the row") from (select "t.2"."id" as "id", "t.2"."name" as "name"' +
        ' from "public"."author" "t.2" where (("t.2"."owner" = (($1)::"pg_catalog"."text")::"pg_catalog"."int4")' +
        ' and ("t.2"."id" = ($2)::"pg_catalog"."int4")) limit 1) "the row"))::text',
      values: ['7', '3'],
    },
  ])
})

test('all root fields of a query run as one statement', async () => {
  expect(await statements('{a: author {id} b: article {id author {name}}}')).toHaveLength(1)
})

test('a query of nodes and their count reads only the selected columns', async () => {
  const query = '{article_aggregate(order_by: {id: asc}) {aggregate {count} nodes {title}}}'
  const [one] = await statements(query)
  expect(one?.text).toContain('from (select "t.2"."title" as "title" from "public"."article" "t.2"')
  expect(one?.text).not.toContain('*,')
})

test('a statement does not change with the values of variables', async () => {
  const query = 'query ($w: author_bool_exp!, $n: Int) {author(where: $w, limit: $n) {id}}'
  const [one] = await statements(query, { w: { name: { _in: ['a', 'b'] } }, n: 1 })
  const [other] = await statements(query, { w: { name: { _in: ["c'; --"] } }, n: 9 })
  expect(other?.text).toBe(one?.text)
  expect(other?.values).toEqual(['{"c\'; --"}', '9'])
})

test.each([
  ['a string', '{author(where: {name: {_eq: "%s"}}) {id}}'],
  ['a pattern', '{author(where: {name: {_like: "%s"}}) {id}}'],
  ['a list', '{author(where: {name: {_in: ["%s"]}}) {id}}'],
  ['a row', 'mutation {insert_author(objects: {id: 1, name: "%s"}) {affected_rows}}'],
])('%s in a query is sent as a value, not as SQL', async (_what, template) => {
  const hostile = `x' or 1=1; drop table author; --`
  for (const { text } of await statements(template.replace('%s', hostile)))
    expect(text).not.toContain('drop')
})

test('a mutation that returns only the changed rows runs as one statement', async () => {
  expect(
    await mutationStatements('mutation {delete_article(where: {}) {returning {id}}}'),
  ).toHaveLength(1)
  const insert = 'mutation {insert_author_one(object: {id: 1, name: "x"}) {id}}'
  expect(await mutationStatements(insert)).toHaveLength(1)
})

test('a mutation that returns related rows of its table needs a second statement', async () => {
  const query = 'mutation {update_author(where: {}, _set: {name: "x"}) {returning {articles {id}}}}'
  expect(await mutationStatements(query)).toHaveLength(2)
})

test.each([
  [
    'returns rows of another table',
    'insert_article_one(object: {id: 1, author_id: 1}) {author {name}}',
    1,
  ],
  [
    'returns rows of the changed table',
    'insert_article_one(object: {id: 1, author_id: 1}) {author {articles {id}}}',
    2,
  ],
  [
    'can replace rows',
    'insert_article_one(object: {id: 1, author_id: 1}, on_conflict: {constraint: article_pkey, update_columns: [title]}) {author {name}}',
    2,
  ],
  ['fires a trigger', 'insert_tale_one(object: {id: 1, author_id: 1}) {author {name}}', 2],
  ['calls a function for a default', 'insert_note_one(object: {author_id: 1}) {author {name}}', 2],
])('an insert that %s is split into the expected statements', async (_what, field, count) => {
  expect(await mutationStatements(`mutation {${field}}`)).toHaveLength(count)
})

test.each([
  ['an insert of a row', 'insert_author_one(object: {id: 1, name: "x"}) {id}', 1],
  [
    'a row with on_conflict',
    'insert_author(objects: {id: 1}, on_conflict: {constraint: author_pkey, update_columns: []}) {affected_rows}',
    1,
  ],
  [
    'two inserts',
    'a: insert_author(objects: {id: 1}) {affected_rows} b: insert_author(objects: {id: 2}) {affected_rows}',
    2,
  ],
  [
    'an insert and a deletion',
    'a: insert_author(objects: {id: 1}) {affected_rows} b: delete_author(where: {}) {affected_rows}',
    3,
  ],
  ['two rows', 'insert_author(objects: [{id: 1}, {id: 2}]) {affected_rows}', 2],
  ['an update', 'update_author(where: {}, _set: {name: "x"}) {affected_rows}', 2],
  [
    'a row with a nested row',
    'insert_author_one(object: {id: 1, articles: {data: {id: 1}}}) {id}',
    4,
  ],
  ['a row that fires a trigger', 'insert_tale(objects: {id: 1}) {affected_rows}', 2],
])(
  'a mutation sets the session in its insert or in a statement before it: %s',
  async (_what, fields, count) => {
    const all = await statements(`mutation {${fields}}`)
    expect(all).toHaveLength(count)
    expect(all[0]?.text).toContain('hasura.user')
  },
)

test('a plan is prepared from its second use on', async () => {
  const session = {
    role: 'admin',
    variables: new Map(),
    backendOnly: false,
    expiresAt: null,
    basis: 'secret' as const,
  }
  const request = {
    query: '{article {title}}',
    variables: {},
    operationName: null,
    api: 'graphql',
  } as const
  const names: unknown[] = []
  for (let n = 0; n < 3; n++) {
    const { plan, cachePlan } = await prepareOperation(engine, request, { session, client: CLIENT })
    cachePlan?.()
    names.push(plan.batches[0]?.statements[0]?.name)
  }
  expect(names[0]).toBeNull()
  expect(names[1]).toEqual(expect.any(String))
  expect(names[2]).toBe(names[1])
})

test('a reload replaces the schema cache', async () => {
  const before = engine.schemaCache()
  await engine.reload()
  expect(engine.schemaCache()).not.toBe(before)
})
