import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { database } from '../../../../test/support/database.ts'
import { type AuthorEngine, SUCCESS, startAuthorEngine } from '../support/author-engine.ts'
import { metadata, table } from '../support/metadata.ts'
import { serveEngineHere } from '../support/serve-here.ts'

let authors: AuthorEngine
let run: AuthorEngine['run']
let exported: AuthorEngine['exportMetadata']

beforeAll(async () => {
  authors = await startAuthorEngine()
  ;({ run, exportMetadata: exported } = authors)
})
afterAll(() => authors.stop())
beforeEach(() => authors.reset())

describe('a new engine has one source', () => {
  test('a new engine has its database as the source default and can track its tables', async () => {
    const emptyDb = await database()
    await emptyDb.query('create table shelf (id int primary key)')
    const newEngine = await serveEngineHere(emptyDb.url)
    const ask = (type: string, args: object = {}) => newEngine.post('/v1/metadata', { type, args })
    expect((await ask('export_metadata')).body).toEqual(metadata([]))
    expect((await ask('pg_track_table', { table: 'shelf' })).body).toEqual(SUCCESS)
    expect((await newEngine.graphql('{shelf {id}}')).body).toEqual({ data: { shelf: [] } })
    await newEngine.stop()
    await emptyDb.drop()
  })
})

/** The error code of Hasura for dropping an object that does not exist. */
const missingCode = (dropCommand: string) =>
  /_permission$/.test(dropCommand) ? 'permission-denied' : 'not-exists'

describe('commands change single objects of the metadata', () => {
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
    '%s creates an object once, and its counterpart drops it',
    async (createCommand, createArgs, dropCommand, dropArgs) => {
      const before = await exported()
      expect((await run(createCommand, createArgs)).body).toEqual(SUCCESS)
      expect(await exported()).not.toEqual(before)
      expect((await run(createCommand, createArgs)).body).toMatchObject({ code: 'already-exists' })
      expect((await run(dropCommand, dropArgs)).body).toEqual(SUCCESS)
      expect(await exported()).toEqual(before)
      expect((await run(dropCommand, dropArgs)).body).toMatchObject({
        code: missingCode(dropCommand),
      })
    },
  )

  test('a permission for a missing column is rejected and not stored', async () => {
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

  test('a table can be tracked although another object is inconsistent', async () => {
    const broken = metadata([table('author'), table('nowhere')])
    await run(
      'replace_metadata',
      { allow_inconsistent_metadata: true, metadata: broken },
      { version: 2 },
    )
    expect((await run('pg_track_table', { table: 'book' })).body).toEqual(SUCCESS)
  })
})

describe('the metadata API runs commands', () => {
  test('an unknown command is rejected', async () => {
    expect((await run('make_coffee')).body).toMatchObject({ code: 'parse-failed', path: '$' })
  })

  test('an error in a bulk names the index of the failed command', async () => {
    const args = [
      { type: 'export_metadata', args: {} },
      { type: 'pg_untrack_table', args: { table: 'nowhere' } },
    ]
    expect((await run('bulk', args)).body).toMatchObject({
      code: 'already-untracked',
      path: '$.args[1].args',
    })
  })

  test('the catalog state of the CLI can be set and read', async () => {
    const state = { migrations: { default: { '1': false } } }
    expect((await run('set_catalog_state', { type: 'cli', state })).body).toEqual(SUCCESS)
    expect((await run('get_catalog_state')).body).toMatchObject({
      id: expect.any(String),
      cli_state: state,
      console_state: {},
    })
    await run('set_catalog_state', { type: 'cli', state: {} })
  })

  test('concurrent commands are all applied', async () => {
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
