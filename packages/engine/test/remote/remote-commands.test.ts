import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startZoo, TABLES, toTable, toZoo, type Zoo, zooReply, zooSchema } from '../support/zoo.ts'

let zoo: Zoo

beforeAll(async () => {
  zoo = await startZoo({ HASURA_GRAPHQL_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' })
})
afterAll(() => zoo?.stop())
beforeEach(async () => {
  zoo.reply = zooReply
  await zoo.use([])
})

const SUCCESS = { status: 200, body: { message: 'success' } }
const command = (type: string, args: object) => zoo.metadata({ type, args })
const exportRemoteSchemas = async () =>
  Object((await command('export_metadata', {})).body).remote_schemas

test('a remote schema can be added, updated, reloaded and removed', async () => {
  const definition = { url_from_env: 'ZOO_URL' }
  expect(
    await command('add_remote_schema', { name: 'zoo', definition, comment: 'c' }),
  ).toMatchObject(SUCCESS)
  expect(await exportRemoteSchemas()).toEqual([{ name: 'zoo', definition, comment: 'c' }])
  expect(await command('add_remote_schema', { name: 'zoo', definition })).toMatchObject({
    status: 400,
    body: { error: 'remote schema with name "zoo" already exists', code: 'already-exists' },
  })
  const customization = { root_fields_namespace: 'wild' }
  const changed = { url: zoo.remote.url, customization }
  expect(await command('update_remote_schema', { name: 'zoo', definition: changed })).toMatchObject(
    SUCCESS,
  )
  expect((await zoo.engine.graphql('{ wild { keeper(id: 1) { id } } }')).body).toEqual({
    data: { wild: { keeper: { id: 1 } } },
  })
  expect(await command('reload_remote_schema', { name: 'zoo' })).toMatchObject(SUCCESS)
  expect(await command('remove_remote_schema', { name: 'zoo' })).toMatchObject(SUCCESS)
  expect(await exportRemoteSchemas()).toBeUndefined()
  for (const type of ['reload_remote_schema', 'remove_remote_schema'])
    expect(await command(type, { name: 'zoo' })).toMatchObject({
      body: { error: 'remote schema with name "zoo" does not exist', code: 'not-exists' },
    })
})

test('a remote schema is not added if its introspection fails', async () => {
  const add = (definition: object) => command('add_remote_schema', { name: 'zoo', definition })
  zoo.reply = () => ({ status: 500, body: {} })
  expect(await add({ url_from_env: 'ZOO_URL' })).toMatchObject({
    status: 400,
    body: { code: 'remote-schema-error', path: '$.args' },
  })
  expect((await add({ url: 'http://127.0.0.1:1' })).body).toMatchObject({
    error: 'HTTP exception occurred while sending the request to "http://127.0.0.1:1"',
    code: 'remote-schema-error',
  })
  expect((await add({ url: 'http://a', url_from_env: 'A' })).body).toMatchObject({
    code: 'parse-failed',
  })
  expect((await add({ url_from_env: 'NOT_SET' })).body).toEqual({
    error: "environment variable 'NOT_SET' not set",
    path: '$.args',
    code: 'invalid-params',
  })
  expect(await exportRemoteSchemas()).toEqual([])
})

test("introspect_remote_schema returns the server's introspection", async () => {
  await zoo.use([zooSchema()])
  const { body } = await command('introspect_remote_schema', { name: 'zoo' })
  expect(body).toMatchObject({ data: { __schema: { queryType: { name: 'Query' } } } })
})

test('permissions on a remote schema can be added and dropped', async () => {
  await zoo.use([zooSchema()])
  const definition = { schema: 'type Query { broken: String }' }
  const args = { remote_schema: 'zoo', role: 'user', definition }
  expect(await command('add_remote_schema_permissions', args)).toMatchObject(SUCCESS)
  expect(await exportRemoteSchemas()).toMatchObject([
    { permissions: [{ role: 'user', definition }] },
  ])
  expect((await command('add_remote_schema_permissions', args)).body).toMatchObject({
    code: 'already-exists',
  })
  const bad = { ...args, role: 'other', definition: { schema: 'type Query { other: Int }' } }
  expect((await command('add_remote_schema_permissions', bad)).body).toMatchObject({
    code: 'invalid-configuration',
    error: expect.stringContaining(
      '"Query" has fields that the upstream type does not have: "other"',
    ),
  })
  const named = { remote_schema: 'zoo', role: 'user' }
  expect(await command('drop_remote_schema_permissions', named)).toMatchObject(SUCCESS)
  expect(await exportRemoteSchemas()).toEqual([zooSchema()])
  expect((await command('drop_remote_schema_permissions', named)).body).toMatchObject({
    code: 'not-exists',
  })
})

test("a table's relationship to a remote schema can be created, updated and deleted", async () => {
  await zoo.use([zooSchema()])
  const { name, definition } = toZoo('keeper', ['id'], { keeper: { arguments: { id: '$id' } } })
  const args = { source: 'default', table: 'person', name, definition }
  expect(await command('pg_create_remote_relationship', args)).toMatchObject(SUCCESS)
  expect((await command('remove_remote_schema', { name: 'zoo' })).body).toMatchObject({
    code: 'dependency-error',
  })
  const old = {
    table: 'person',
    name,
    remote_schema: 'zoo',
    hasura_fields: ['id'],
    remote_field: { keeper: { arguments: { id: '$id' } } },
  }
  expect(await command('pg_update_remote_relationship', old)).toMatchObject(SUCCESS)
  expect((await zoo.engine.graphql('{ person_by_pk(id: 1) { keeper { name } } }')).body).toEqual({
    data: { person_by_pk: { keeper: { name: 'Ann' } } },
  })
  expect(await command('pg_delete_remote_relationship', { table: 'person', name })).toMatchObject(
    SUCCESS,
  )
  expect(
    (await command('pg_create_remote_relationship', { ...args, name: 'name' })).body,
  ).toMatchObject({
    code: 'already-exists',
  })
})

test("a remote schema's relationship to a table can be created, updated and deleted", async () => {
  await zoo.use([zooSchema()])
  const { name, definition } = toTable('person', 'object', 'person', { id: 'id' })
  const args = { remote_schema: 'zoo', type_name: 'Keeper', name, definition }
  expect(await command('create_remote_schema_remote_relationship', args)).toMatchObject(SUCCESS)
  const { to_source } = definition
  const written = { to_source: { ...to_source, table: { schema: 'public', name: 'person' } } }
  expect(await exportRemoteSchemas()).toMatchObject([
    {
      remote_relationships: [
        { type_name: 'Keeper', relationships: [{ name, definition: written }] },
      ],
    },
  ])
  expect(await command('update_remote_schema_remote_relationship', args)).toMatchObject(SUCCESS)
  expect((await zoo.engine.graphql('{ keeper(id: 2) { person { name } } }')).body).toEqual({
    data: { keeper: { person: { name: 'Ben' } } },
  })
  const drop = { remote_schema: 'zoo', type_name: 'Keeper', name }
  expect(await command('delete_remote_schema_remote_relationship', drop)).toMatchObject(SUCCESS)
  expect(await exportRemoteSchemas()).toEqual([zooSchema()])
})

test.each([
  ['an unknown remote field', toZoo('x', ['id'], { nobody: { arguments: {} } }), 'nobody'],
  [
    'an unknown argument',
    toZoo('x', ['id'], { keeper: { arguments: { no: '$id' } } }),
    'no argument named \\"no\\"',
  ],
  [
    'an unknown column',
    toZoo('x', ['no'], { keeper: { arguments: { id: '$no' } } }),
    'no field named \\"no\\"',
  ],
  [
    'a column missing in lhs_fields',
    toZoo('x', [], { keeper: { arguments: { id: '$id' } } }),
    'lhs_fields',
  ],
  [
    'a field below a list',
    toZoo('x', [], { animals: { arguments: {}, field: { name: { arguments: {} } } } }),
    'does not return a single object',
  ],
  ['an unknown table', toTable('x', 'array', 'nothing', { id: 'id' }), 'nothing'],
  [
    'an unknown column of the target table',
    toTable('x', 'array', 'visit', { id: 'no' }),
    'no column named \\"no\\"',
  ],
  ['the name of a column', toTable('name', 'array', 'visit', { id: 'id' }), 'another field'],
])('only a relationship with %s is inconsistent', async (_what, relationship, reason) => {
  const [person, ...others] = TABLES
  const tables = [{ ...person, remote_relationships: [relationship] }, ...others]
  const { body } = await zoo.metadata({
    type: 'replace_metadata',
    version: 2,
    args: {
      allow_inconsistent_metadata: true,
      metadata: {
        version: 3,
        sources: [{ name: 'default', kind: 'postgres', tables }],
        remote_schemas: [zooSchema()],
      },
    },
  })
  expect(body).toMatchObject({ inconsistent_objects: [{ type: 'remote_relationship' }] })
  expect(JSON.stringify(body)).toContain(reason)
  expect(await command('drop_inconsistent_metadata', {})).toMatchObject(SUCCESS)
  expect((await command('get_inconsistent_metadata', {})).body).toMatchObject({
    is_consistent: true,
  })
  expect(await exportRemoteSchemas()).toEqual([zooSchema()])
})
