import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Database, database } from '../../support/database.ts'
import { metadata, replace, table } from '../../support/engine/metadata.ts'
import { serveEngineHere } from '../../support/engine/serve-here.ts'
import type { ServedEngine } from '../../support/engine/start-engine.ts'

let db: Database
let engine: ServedEngine

beforeAll(async () => {
  db = await database()
  engine = await serveEngineHere(db.url)
  await db.query('create table author (id int primary key, name text)')
  await db.query(
    'create table book (id int primary key, author_id int references author, title text)',
  )
  await db.query(
    'create function shout(author) returns text language sql stable as $$ select upper($1.name) $$',
  )
})

afterAll(async () => {
  await engine.stop()
  await db.drop()
})

const run = (type: string, args: object = {}, rest: object = {}) =>
  engine.post('/v1/metadata', { type, args, ...rest })
const exported = async () => (await run('export_metadata')).body
const SUCCESS = { message: 'success' }

beforeEach(async () => {
  await run('clear_metadata')
  await run('replace_metadata', metadata([table('author'), table('book')]))
})

describe('a new engine', () => {
  test('has its own database as the source default, and can track its tables', async () => {
    const own = await database()
    await own.query('create table shelf (id int primary key)')
    const fresh = await serveEngineHere(own.url)
    const ask = (type: string, args: object = {}) => fresh.post('/v1/metadata', { type, args })
    expect((await ask('export_metadata')).body).toEqual(metadata([]))
    expect((await ask('pg_track_table', { table: 'shelf' })).body).toEqual(SUCCESS)
    expect((await fresh.graphql('{shelf {id}}')).body).toEqual({ data: { shelf: [] } })
    await fresh.stop()
    await own.drop()
  })
})

describe('metadata as a whole', () => {
  test('comes out as it went in', async () => {
    const document = metadata([
      table('author', {
        select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {} } }],
      }),
    ])
    expect((await engine.post('/v1/metadata', replace(document))).body).toEqual(SUCCESS)
    expect(await exported()).toEqual(document)
  })

  test('has a version that each change counts up, and that a change may insist on', async () => {
    const version = async () => {
      const { body } = await run('export_metadata', {}, { version: 2 })
      return body
    }
    const before = await version()
    expect(before).toMatchObject({ resource_version: expect.any(Number), metadata: { version: 3 } })
    const current = JSON.parse(JSON.stringify(before)).resource_version
    const stale = await run('clear_metadata', {}, { resource_version: current })
    expect(stale.body).toEqual(SUCCESS)
    expect(await version()).toMatchObject({ resource_version: current + 1 })
    const late = await run('pg_track_table', { table: 'author' }, { resource_version: current })
    expect([late.status, late.body]).toEqual([409, expect.objectContaining({ code: 'conflict' })])
  })

  test('is counted up by a reload too, which may insist on its version', async () => {
    const version = async () =>
      JSON.parse((await run('export_metadata', {}, { version: 2 })).text).resource_version
    const current = await version()
    const late = await run('reload_metadata', {}, { resource_version: current - 1 })
    expect(late.status).toBe(409)
    const reloaded = await run('reload_metadata', {}, { resource_version: current })
    expect(reloaded.body).toEqual({ message: 'success', is_consistent: true })
    expect(await version()).toBe(current + 1)
  })

  test('keeps the connection to the database when it is cleared', async () => {
    await run('clear_metadata')
    expect(await exported()).toEqual(metadata([]))
    expect((await run('pg_track_table', { table: 'author' })).body).toEqual(SUCCESS)
  })

  test('is exported without cron triggers that are not to be included, and no import changes those', async () => {
    const trigger = { name: 'own', webhook: 'http://hook.test', schedule: '* * * * *' }
    const before = await exported()
    await run('create_cron_trigger', { ...trigger, include_in_metadata: false })
    expect(await exported()).toEqual(before)
    await run('clear_metadata')
    await run('replace_metadata', metadata([table('author')]))
    expect((await run('get_cron_triggers')).body).toMatchObject({
      cron_triggers: [{ name: 'own' }],
    })
    const clash = metadata([], { cron_triggers: [{ ...trigger, include_in_metadata: true }] })
    expect((await run('replace_metadata', clash)).body).toMatchObject({
      code: 'already-exists',
      path: '$.args',
    })
    expect((await run('delete_cron_trigger', { name: 'own' })).body).toEqual(SUCCESS)
    expect((await run('get_cron_triggers')).body).toEqual({ cron_triggers: [] })
  })

  test('that is inconsistent is refused, and the old metadata stays', async () => {
    const before = await exported()
    const reply = await engine.post('/v1/metadata', replace(metadata([table('nowhere')])))
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({
      path: '$.args',
      internal: [{ type: 'table', name: 'table nowhere in source default' }],
    })
    expect(await exported()).toEqual(before)
    expect((await engine.graphql('{ author { id } }')).body).toEqual({ data: { author: [] } })
  })

  test('that is inconsistent is served as far as possible, if that is allowed', async () => {
    const args = {
      allow_inconsistent_metadata: true,
      metadata: metadata([table('author'), table('nowhere')]),
    }
    const reply = await run('replace_metadata', args, { version: 2 })
    const inconsistent = {
      is_consistent: false,
      inconsistent_objects: [expect.objectContaining({ name: 'table nowhere in source default' })],
    }
    expect(reply.body).toEqual(inconsistent)
    expect((await run('get_inconsistent_metadata')).body).toEqual(inconsistent)
    expect((await engine.graphql('{ author { id } }')).body).toEqual({ data: { author: [] } })
    const health = async (query: string) => (await fetch(`${engine.url}/healthz${query}`)).text()
    expect(await health('')).toBe('WARN: inconsistent objects in schema')
    expect(await health('?strict=true')).toBe('ERROR: inconsistent objects in schema')
  })

  test('of the versions without sources is that of the source default', async () => {
    const findBooks = 'create function find_books() returns setof book stable language sql as'
    await db.query(`${findBooks} $$ select * from book $$`)
    const tables = [
      { table: 'author' },
      {
        table: 'book',
        object_relationships: [
          { name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
        ],
      },
    ]
    const source = { name: 'default', tables, functions: [{ function: 'find_books' }] }
    const first = await run('replace_metadata', { tables, functions: ['find_books'] })
    expect(first.body).toEqual(SUCCESS)
    expect(await exported()).toMatchObject({ version: 3, sources: [source] })
    const answer = await engine.graphql('{find_books {author {id}}}')
    expect(answer.body).toEqual({ data: { find_books: [] } })
    const second = { version: 2, tables: [{ table: 'author' }], functions: [] }
    expect((await run('replace_metadata', { metadata: second })).body).toMatchObject({
      is_consistent: true,
    })
    expect(await exported()).toMatchObject({
      sources: [{ tables: [{ table: 'author' }], functions: [] }],
    })
    await db.query('drop function find_books')
    await run('replace_metadata', { version: 3, sources: [] })
    const nowhere = await run('replace_metadata', { tables: [] })
    expect([nowhere.status, nowhere.body]).toEqual([
      400,
      expect.objectContaining({ code: 'not-supported', path: '$.args' }),
    ])
  })

  test.each([
    [{}, '$.args', 'key "tables" not found'],
    [{ version: 2 }, '$.args', 'key "tables" not found'],
    [{ version: 3 }, '$.args', 'key "sources" not found'],
    [{ version: 4, sources: [] }, '$.args.version', 'expected 1, 2 or 3, encountered 4'],
    [{ metadata: {} }, '$.args.metadata', 'key "tables" not found'],
  ])('that says nothing of what there is, as %j, empties nothing', async (args, path, error) => {
    const before = await exported()
    const reply = await run('replace_metadata', args)
    expect([reply.status, reply.body]).toEqual([400, { code: 'parse-failed', path, error }])
    expect(await exported()).toEqual(before)
  })

  test('that is malformed is parse-failed, with the path of the fault', async () => {
    const reply = await run('replace_metadata', { version: 3, sources: [{ tables: [] }] })
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ code: 'parse-failed', path: '$.args.sources[0]' }),
    ])
  })

  test('outlives the engine', async () => {
    const before = await exported()
    await engine.stop()
    engine = await serveEngineHere(db.url)
    expect(await exported()).toEqual(before)
  })

  test('changed by one engine is served by the others', async () => {
    const other = await serveEngineHere(db.url)
    await run('pg_untrack_table', { table: 'book' })
    await expect
      .poll(async () => (await other.graphql('{ book { id } }')).text)
      .toContain('not found in type')
    await other.stop()
  })
})

/** Hasura's error code when an object that is to be dropped does not exist. */
const gone = (dropping: string) =>
  /_permission$/.test(dropping) ? 'permission-denied' : 'not-exists'

describe('one thing of the metadata', () => {
  const author = { schema: 'public', name: 'author' }

  test.each<[string, object, string, object]>([
    [
      'pg_create_object_relationship',
      { table: 'book', name: 'writer', using: { foreign_key_constraint_on: 'author_id' } },
      'pg_drop_relationship',
      { table: 'book', relationship: 'writer' },
    ],
    [
      'pg_create_array_relationship',
      {
        table: author,
        name: 'books',
        using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } },
      },
      'pg_drop_relationship',
      { table: author, relationship: 'books' },
    ],
    [
      'pg_create_select_permission',
      { table: author, role: 'user', permission: { columns: '*', filter: {} } },
      'pg_drop_select_permission',
      { table: author, role: 'user' },
    ],
    [
      'pg_create_insert_permission',
      { table: author, role: 'user', permission: { columns: '*', check: {} } },
      'pg_drop_insert_permission',
      { table: author, role: 'user' },
    ],
    [
      'pg_create_update_permission',
      { table: author, role: 'user', permission: { columns: '*', filter: {} } },
      'pg_drop_update_permission',
      { table: author, role: 'user' },
    ],
    [
      'pg_create_delete_permission',
      { table: author, role: 'user', permission: { filter: {} } },
      'pg_drop_delete_permission',
      { table: author, role: 'user' },
    ],
    [
      'pg_add_computed_field',
      { table: author, name: 'shouted', definition: { function: 'shout' } },
      'pg_drop_computed_field',
      { table: author, name: 'shouted' },
    ],
    [
      'create_query_collection',
      { name: 'c', definition: { queries: [{ name: 'q', query: '{ author { id } }' }] } },
      'drop_query_collection',
      { collection: 'c', cascade: false },
    ],
    [
      'create_cron_trigger',
      { name: 'c', webhook: 'http://hook.test', schedule: '* * * * *', include_in_metadata: true },
      'delete_cron_trigger',
      { name: 'c' },
    ],
    [
      'pg_create_event_trigger',
      { name: 'e', table: author, webhook: 'http://hook.test', insert: { columns: '*' } },
      'pg_delete_event_trigger',
      { name: 'e', table: author },
    ],
    [
      'create_action',
      { name: 'a', definition: { handler: 'http://hook.test', output_type: 'Int' } },
      'drop_action',
      { name: 'a' },
    ],
  ])(
    'is made by %s, once, and goes by its counterpart',
    async (making, made, dropping, dropped) => {
      const before = await exported()
      expect((await run(making, made)).body).toEqual(SUCCESS)
      expect(await exported()).not.toEqual(before)
      expect((await run(making, made)).body).toMatchObject({ code: 'already-exists' })
      expect((await run(dropping, dropped)).body).toEqual(SUCCESS)
      expect(await exported()).toEqual(before)
      expect((await run(dropping, dropped)).body).toMatchObject({ code: gone(dropping) })
    },
  )

  test('that would not fit is refused with the reason', async () => {
    const before = await exported()
    const permission = { columns: ['nowhere'], filter: {} }
    const reply = await run('pg_create_select_permission', {
      table: author,
      role: 'user',
      permission,
    })
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid-configuration', path: '$.args' }),
    ])
    expect(await exported()).toEqual(before)
  })

  test('is changed while something else does not fit', async () => {
    const broken = metadata([table('author'), table('nowhere')])
    await run(
      'replace_metadata',
      { allow_inconsistent_metadata: true, metadata: broken },
      { version: 2 },
    )
    expect((await run('pg_track_table', { table: 'book' })).body).toEqual(SUCCESS)
  })
})

describe('commands', () => {
  test('that nobody knows are refused', async () => {
    expect((await run('make_coffee')).body).toMatchObject({ code: 'parse-failed', path: '$' })
  })

  test('may come as a list; a failure names its place in it', async () => {
    const args = [
      { type: 'export_metadata', args: {} },
      { type: 'pg_untrack_table', args: { table: 'nowhere' } },
    ]
    expect((await run('bulk', args)).body).toMatchObject({
      code: 'already-untracked',
      path: '$.args[1].args',
    })
  })

  test('the state of the CLI is kept where it looks for it', async () => {
    const state = { migrations: { default: { '1': false } } }
    expect((await run('set_catalog_state', { type: 'cli', state })).body).toEqual(SUCCESS)
    expect((await run('get_catalog_state')).body).toMatchObject({
      id: expect.any(String),
      cli_state: state,
      console_state: {},
    })
    await run('set_catalog_state', { type: 'cli', state: {} })
  })

  test('two at once are both done', async () => {
    const add = (role: string) =>
      run('pg_create_select_permission', {
        table: 'author',
        role,
        permission: { columns: '*', filter: {} },
      })
    const roles = ['a', 'b', 'c', 'd', 'e']
    await Promise.all(roles.map(add))
    const text = JSON.stringify(await exported())
    for (const role of roles) expect(text).toContain(`"role":"${role}"`)
  })
})
