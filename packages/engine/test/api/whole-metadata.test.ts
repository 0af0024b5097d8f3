import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../../../test/support/database.ts'
import { type AuthorEngine, SUCCESS, startAuthorEngine } from '../support/author-engine.ts'
import { metadata, replace, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'

let authors: AuthorEngine
let db: Database
let run: AuthorEngine['run']
let exported: AuthorEngine['exportMetadata']

beforeAll(async () => {
  authors = await startAuthorEngine()
  ;({ db, run, exportMetadata: exported } = authors)
})
afterAll(() => authors.stop())
beforeEach(() => authors.reset())

describe('metadata can be replaced and exported as a whole', () => {
  test('exported metadata equals the imported metadata', async () => {
    const document = metadata([
      table('author', {
        select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {} } }],
      }),
    ])
    expect((await authors.engine.post('/v1/metadata', replace(document))).body).toEqual(SUCCESS)
    expect(await exported()).toEqual(document)
  })

  test('a change increments resource_version, and a stale resource_version gets a conflict', async () => {
    const version = async () => {
      const { body } = await run('export_metadata', {}, { version: 2 })
      return body
    }
    const before = await version()
    expect(before).toMatchObject({ resource_version: expect.any(Number), metadata: { version: 3 } })
    const current = JSON.parse(JSON.stringify(before)).resource_version
    const first = await run('clear_metadata', {}, { resource_version: current })
    expect(first.body).toEqual(SUCCESS)
    expect(await version()).toMatchObject({ resource_version: current + 1 })
    const second = await run('pg_track_table', { table: 'author' }, { resource_version: current })
    expect([second.status, second.body]).toEqual([
      409,
      expect.objectContaining({ code: 'conflict' }),
    ])
  })

  test('reload_metadata increments resource_version, and a stale resource_version gets a conflict', async () => {
    const version = async () =>
      JSON.parse((await run('export_metadata', {}, { version: 2 })).text).resource_version
    const current = await version()
    const second = await run('reload_metadata', {}, { resource_version: current - 1 })
    expect(second.status).toBe(409)
    const reload = await run('reload_metadata', {}, { resource_version: current })
    expect(reload.body).toEqual({ message: 'success', is_consistent: true })
    expect(await version()).toBe(current + 1)
  })

  test('clear_metadata keeps the connection to the database', async () => {
    await run('clear_metadata')
    expect(await exported()).toEqual(metadata([]))
    expect((await run('pg_track_table', { table: 'author' })).body).toEqual(SUCCESS)
  })

  test('cron triggers with include_in_metadata false are neither exported nor replaced', async () => {
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

  test('inconsistent metadata is rejected, and the old metadata stays', async () => {
    const before = await exported()
    const reply = await authors.engine.post('/v1/metadata', replace(metadata([table('nowhere')])))
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({
      path: '$.args',
      internal: [{ type: 'table', name: 'table nowhere in source default' }],
    })
    expect(await exported()).toEqual(before)
    expect((await authors.engine.graphql('{ author { id } }')).body).toEqual({
      data: { author: [] },
    })
  })

  test('inconsistent metadata is served as far as possible if it is allowed', async () => {
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
    expect((await authors.engine.graphql('{ author { id } }')).body).toEqual({
      data: { author: [] },
    })
    const health = async (query: string) =>
      (await fetch(`${authors.engine.url}/healthz${query}`)).text()
    expect(await health('')).toBe('WARN: inconsistent objects in schema')
    expect(await health('?strict=true')).toBe('ERROR: inconsistent objects in schema')
  })

  test('metadata of versions 1 and 2 replaces the source default', async () => {
    const findBooks = 'create function find_books() returns setof book stable language sql as'
    await db.query(`${findBooks} $$ select * from book $$`)
    const qualifiedName = (name: string) => ({ schema: 'public', name })
    const tables = [
      { table: qualifiedName('author') },
      {
        table: qualifiedName('book'),
        object_relationships: [
          { name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
        ],
      },
    ]
    const source = {
      name: 'default',
      tables,
      functions: [{ function: qualifiedName('find_books') }],
    }
    const first = await run('replace_metadata', { tables, functions: ['find_books'] })
    expect(first.body).toEqual(SUCCESS)
    expect(await exported()).toMatchObject({ version: 3, sources: [source] })
    const answer = await authors.engine.graphql('{find_books {author {id}}}')
    expect(answer.body).toEqual({ data: { find_books: [] } })
    const second = { version: 2, tables: [{ table: 'author' }], functions: [] }
    expect((await run('replace_metadata', { metadata: second })).body).toMatchObject({
      is_consistent: true,
    })
    expect(await exported()).toMatchObject({
      sources: [{ tables: [{ table: qualifiedName('author') }], functions: [] }],
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
  ])(
    'metadata without its main key or with an unknown version is rejected: %j',
    async (args, path, error) => {
      const before = await exported()
      const reply = await run('replace_metadata', args)
      expect([reply.status, reply.body]).toEqual([400, { code: 'parse-failed', path, error }])
      expect(await exported()).toEqual(before)
    },
  )

  test('malformed metadata gets parse-failed with its path', async () => {
    const reply = await run('replace_metadata', { version: 3, sources: [{ tables: [] }] })
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.objectContaining({ code: 'parse-failed', path: '$.args.sources[0]' }),
    ])
  })

  test('metadata is kept across a restart of the engine', async () => {
    const before = await exported()
    await authors.restart()
    expect(await exported()).toEqual(before)
  })

  test('metadata changed by one engine is served by other engines', async () => {
    const other = await serveEngineHere(db.url)
    await run('pg_untrack_table', { table: 'book' })
    await expect
      .poll(async () => (await other.graphql('{ book { id } }')).text)
      .toContain('not found in type')
    await other.stop()
  })
})
