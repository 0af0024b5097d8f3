import { afterAll, beforeAll, expect, test } from 'vitest'
import { table } from '../support/metadata.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { source, startTwoSources, type TwoSources } from '../support/sources/two-sources.ts'

let two: TwoSources
let hook: Receiver

beforeAll(async () => {
  hook = await startReceiver(() => ({ status: 200, body: {} }))
  two = await startTwoSources({ HOOK: hook.url, HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '50' })
})
afterAll(async () => {
  await two?.end()
  await hook?.close()
})

const SUCCESS = { message: 'success' }

const AT_STOCK = { connection_info: { database_url: { from_env: 'STOCK_DATABASE' } } }

const ask = async (query: string) => (await two.engine.graphql(query)).body

const runSql = async (sql: string, args: object = {}) =>
  (await two.engine.post('/v2/query', { type: 'run_sql', args: { sql, ...args } })).body

async function exportMetadata() {
  return Object(await two.command('export_metadata', {})).metadata
}

test('a source can be added, reconfigured, renamed and dropped', async () => {
  await two.use([source('default', [table('item')])])
  const addSource = { name: 'stock', configuration: AT_STOCK }
  expect(await two.command('pg_add_source', addSource)).toEqual(SUCCESS)
  expect(await two.command('pg_add_source', addSource)).toMatchObject({
    code: 'already-exists',
    error: 'source with name "stock" already exists',
  })
  const trackTable = { source: 'stock', table: { schema: 'public', name: 'shelf' } }
  expect(await two.command('pg_track_table', trackTable)).toEqual(SUCCESS)
  const replaceSource = {
    ...addSource,
    replace_configuration: true,
    customization: { root_fields: { prefix: 'our_' } },
  }
  expect(await two.command('pg_add_source', replaceSource)).toEqual(SUCCESS)
  expect(await ask('{our_shelf(limit: 1) {id}}')).toEqual({ data: { our_shelf: [{ id: 10 }] } })
  const plain = { name: 'stock', customization: { root_fields: { prefix: 'the_' } } }
  expect(await two.command('pg_update_source', plain)).toEqual(SUCCESS)
  expect(await ask('{the_shelf(limit: 1) {id}}')).toEqual({ data: { the_shelf: [{ id: 10 }] } })
  const renaming = { name: 'stock', new_name: 'storage' }
  expect(await two.command('rename_source', renaming)).toEqual(SUCCESS)
  expect(await two.command('rename_source', renaming)).toMatchObject({
    code: 'not-exists',
    error: 'Could not find source with name "stock"',
  })
  expect(
    await two.command('rename_source', { name: 'storage', new_name: 'default' }),
  ).toMatchObject({ code: 'already-exists', error: 'Source with name "default" already exists' })
  expect((await exportMetadata()).sources.map(({ name }: { name: string }) => name)).toEqual([
    'default',
    'storage',
  ])
  expect(await ask('{the_shelf(limit: 1) {id}}')).toEqual({ data: { the_shelf: [{ id: 10 }] } })
  expect(await two.command('pg_drop_source', { name: 'storage' })).toEqual(SUCCESS)
  expect(await two.command('pg_drop_source', { name: 'storage' })).toMatchObject({
    code: 'not-exists',
    error: 'source with name "storage" does not exist',
  })
  expect(await ask('{the_shelf {id}}')).toHaveProperty('errors')
})

test('a source that relationships point to can only be dropped with cascade', async () => {
  const shelves = {
    name: 'shelves',
    definition: {
      to_source: {
        source: 'stock',
        table: { schema: 'public', name: 'shelf' },
        relationship_type: 'array',
        field_mapping: { id: 'item_id' },
      },
    },
  }
  await two.use([
    source('default', [table('item', { remote_relationships: [shelves] })]),
    source('stock', [table('shelf')]),
  ])
  expect(await two.command('rename_source', { name: 'stock', new_name: 'storage' })).toEqual(
    SUCCESS,
  )
  expect(await ask('{item(limit: 1) {shelves {id}}}')).toEqual({
    data: { item: [{ shelves: [{ id: 10 }, { id: 11 }] }] },
  })
  expect(await two.command('pg_drop_source', { name: 'storage' })).toMatchObject({
    code: 'dependency-error',
    error: expect.stringContaining('remote_relationship shelves in table item'),
  })
  expect(await two.command('pg_drop_source', { name: 'storage', cascade: true })).toEqual(SUCCESS)
  expect(await two.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: true })
  expect((await exportMetadata()).sources).toMatchObject([{ name: 'default', tables: [{}] }])
})

test('commands use the source that they name, or default', async () => {
  await two.use([source('default', [table('item')]), source('stock', [table('shelf')])])
  const select = 'select current_database()'
  const databaseOf = (url: string) => new URL(url).pathname.slice(1)
  expect(await runSql(select)).toMatchObject({
    result: [['current_database'], [databaseOf(two.shop.url)]],
  })
  expect(await runSql(select, { source: 'stock' })).toMatchObject({
    result: [['current_database'], [databaseOf(two.stock.url)]],
  })
  expect(await runSql(select, { source: 'nowhere' })).toMatchObject({
    code: 'not-exists',
    error: 'source with name "nowhere" does not exist',
  })
  const permission = {
    table: 'shelf',
    role: 'clerk',
    permission: { columns: ['place'], filter: { item_id: { _is_null: false } } },
  }
  expect(await two.command('pg_create_select_permission', permission)).toMatchObject({
    error: 'table "shelf" does not exist in source: default',
  })
  const stockPermission = { source: 'stock', ...permission }
  expect(await two.command('pg_create_select_permission', stockPermission)).toEqual(SUCCESS)
  expect(await two.command('pg_get_source_tables', { source: 'stock' })).toEqual([
    { name: 'shelf', schema: 'public' },
  ])
})

test('run_sql renames columns in the metadata of its source only', async () => {
  await two.stock.query('create table if not exists item (id int primary key, name text)')
  const prefixes = { root_fields: { prefix: 'b_' }, type_names: { prefix: 'b_' } }
  const permission = { columns: ['name'], filter: { name: { _neq: 'x' } } }
  const select_permissions = [{ role: 'clerk', permission }]
  await two.use([
    source('default', [table('item', { select_permissions })]),
    source('stock', [table('item', { select_permissions })], { customization: prefixes }),
  ])
  const renaming = await runSql('alter table item rename name to title', { source: 'stock' })
  expect(renaming).toMatchObject({ result_type: 'CommandOk' })
  const [first, second] = (await exportMetadata()).sources
  expect(first.tables[0].select_permissions[0].permission).toEqual(permission)
  expect(second.tables[0].select_permissions[0].permission).toEqual({
    columns: ['title'],
    filter: { title: { _neq: 'x' } },
  })
  expect(await runSql('drop table item', { source: 'stock', cascade: true })).toMatchObject({
    result_type: 'CommandOk',
  })
  expect((await exportMetadata()).sources).toMatchObject([{ tables: [{}] }, { tables: [] }])
})

test("events are written and delivered in their source's database", async () => {
  const trigger = (name: string) => ({
    event_triggers: [
      {
        name,
        webhook: `{{HOOK}}/${name}`,
        retry_conf: { num_retries: 0, interval_sec: 1, timeout_sec: 10 },
        definition: { enable_manual: true, insert: { columns: '*' } },
      },
    ],
  })
  // The third source uses the database of the first.
  await two.use([
    source('default', [table('item', trigger('items'))]),
    source('stock', [table('shelf', trigger('shelves'))]),
    source('again', [table('item', trigger('more'))], {
      customization: { root_fields: { prefix: 'again_' } },
    }),
  ])
  expect(await triggersOf(two.shop)).toEqual([
    'notify_hasura_items_INSERT',
    'notify_hasura_more_INSERT',
  ])
  expect(await triggersOf(two.stock)).toEqual(['notify_hasura_shelves_INSERT'])
  const mutation = `mutation {
    insert_item_one(object: {id: 30, name: "chair"}) {id}
    insert_shelf_one(object: {id: 30, place: "hall"}) {id}
  }`
  expect(await ask(mutation)).not.toHaveProperty('errors')
  const manual = { name: 'shelves', payload: { by: 'hand' } }
  expect(await two.command('pg_invoke_event_trigger', manual)).toMatchObject({ code: 'not-exists' })
  const invoked = await two.command('pg_invoke_event_trigger', { source: 'stock', ...manual })
  const hookPaths = () => hook.received.map(({ url }) => url).sort()
  await expect
    .poll(hookPaths, { timeout: 20_000 })
    .toEqual(['/items', '/more', '/shelves', '/shelves'])
  const { event_id } = Object(invoked)
  expect(await two.command('pg_redeliver_event', { event_id })).toMatchObject({
    code: 'not-exists',
  })
  await expect
    .poll(() => two.command('pg_redeliver_event', { source: 'stock', event_id }), {
      timeout: 20_000,
    })
    .toEqual(SUCCESS)
  await expect.poll(() => hookPaths().length, { timeout: 20_000 }).toBe(5)
  const logs = { source: 'stock', name: 'shelves' }
  expect(await two.command('pg_get_event_logs', logs)).toHaveLength(2)
  // A dropped source stops writing events, and another source in the same database does not.
  expect(await two.command('pg_drop_source', { name: 'stock' })).toEqual(SUCCESS)
  expect(await two.command('pg_drop_source', { name: 'again' })).toEqual(SUCCESS)
  await expect.poll(() => triggersOf(two.stock)).toEqual([])
  expect(await triggersOf(two.shop)).toEqual(['notify_hasura_items_INSERT'])
})

async function triggersOf({ query }: TwoSources['shop']) {
  const { rows } = await query(
    "select tgname from pg_trigger where tgname like 'notify_hasura%' order by 1",
  )
  return rows.map(({ tgname }) => tgname)
}

test('queries during changes of sources are answered completely or rejected', async () => {
  await two.use([source('default', [table('item')]), source('stock', [table('shelf')])])
  const query = '{item(limit: 1) {id} shelf(limit: 1) {id}}'
  let isOver = false
  const loops = Array.from({ length: 4 }, async () => {
    const answers = new Set<string>()
    while (!isOver) answers.add(JSON.stringify(await ask(query)))
    return answers
  })
  for (let i = 0; i < 3; i += 1) {
    expect(await two.command('pg_drop_source', { name: 'stock' })).toEqual(SUCCESS)
    const addSource = { name: 'stock', configuration: AT_STOCK }
    expect(await two.command('pg_add_source', addSource)).toEqual(SUCCESS)
    const trackTable = { source: 'stock', table: 'shelf' }
    expect(await two.command('pg_track_table', trackTable)).toEqual(SUCCESS)
  }
  isOver = true
  const whole = JSON.stringify({ data: { item: [{ id: 1 }], shelf: [{ id: 10 }] } })
  const all = new Set((await Promise.all(loops)).flatMap((answers) => [...answers]))
  expect(all).toContain(whole)
  for (const answer of all)
    if (answer !== whole) expect(answer).toContain("field 'shelf' not found in type: 'query_root'")
})

test('while the database of a source is unreachable, only that source fails, and it recovers', async () => {
  const name = new URL(two.stock.url).pathname.slice(1)
  await two.stock.onCluster(`alter database ${name} allow_connections false`)
  await two.shop.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name = $2',
    [name, 'engine'],
  )
  await expect
    .poll(() => ask('{shelf {id}}'))
    .toMatchObject({ errors: [{ extensions: { code: 'postgres-error' } }] })
  expect(await ask('{item(limit: 1) {id}}')).toEqual({ data: { item: [{ id: 1 }] } })
  expect(await two.command('reload_metadata', {})).toMatchObject({ is_consistent: false })
  expect(await ask('{item(limit: 1) {id}}')).toEqual({ data: { item: [{ id: 1 }] } })
  await two.stock.onCluster(`alter database ${name} allow_connections true`)
  expect(await two.command('reload_metadata', {})).toMatchObject({ is_consistent: true })
  expect(await ask('{shelf(limit: 1) {id}}')).toEqual({ data: { shelf: [{ id: 10 }] } })
})
