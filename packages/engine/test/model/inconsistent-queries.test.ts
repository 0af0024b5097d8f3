import { afterAll, beforeAll, expect, test } from 'vitest'
import { ITEM, type MetadataEngine, startMetadataEngine } from '../support/metadata-engine.ts'

let setup: MetadataEngine

beforeAll(async () => {
  setup = await startMetadataEngine()
})
afterAll(() => setup?.stop())

const collection = (name: string, ...queries: string[]) => ({
  name,
  definition: {
    queries: queries.map((field) => ({ name: field, query: `query { ${field} { id } }` })),
  },
})

const endpoint = (name: string, collection_name: string, query_name: string) => ({
  name,
  url: name,
  methods: ['GET'],
  definition: { query: { collection_name, query_name } },
})

test('drop_inconsistent_metadata drops inconsistent saved queries with their dependents, and keeps the other objects', async () => {
  const of = (...names: string[]) =>
    names.map((name) => ({ collection: name, scope: { global: true } }))
  await setup.setMetadata(
    { tables: [ITEM] },
    {
      query_collections: [
        collection('mixed', 'item', 'gone'),
        collection('wrong', 'gone'),
        collection('empty'),
      ],
      allowlist: of('mixed', 'wrong'),
      rest_endpoints: [
        endpoint('good', 'mixed', 'item'),
        endpoint('bad', 'mixed', 'gone'),
        endpoint('lost', 'mixed', 'never'),
      ],
    },
  )
  const command = async (type: string) =>
    (await setup.engine.post('/v1/metadata', { type, args: {} })).body
  expect(await command('drop_inconsistent_metadata')).toEqual({ message: 'success' })
  expect(await command('get_inconsistent_metadata')).toMatchObject({ is_consistent: true })
  expect(await command('export_metadata')).toMatchObject({
    query_collections: [collection('mixed', 'item'), collection('empty')],
    allowlist: of('mixed'),
    rest_endpoints: [endpoint('good', 'mixed', 'item')],
  })
})

test.each([
  [
    { remote_native_query: 'gone', column_mapping: { id: 'id' } },
    'native query "gone" is not tracked',
  ],
  [{ remote_table: 'gone', column_mapping: { id: 'id' } }, 'table "gone" is not tracked'],
  [{ remote_table: 'item', column_mapping: { other: 'id' } }, 'has no field named "other"'],
])(
  'a relationship of a native query with an invalid target is reported: %j',
  async (using, reason) => {
    const relationship = { name: 'related', using }
    const answer = await setup.setMetadata({
      tables: [ITEM],
      logical_models: [{ name: 'found', fields: [{ name: 'id', type: { scalar: 'integer' } }] }],
      native_queries: [
        {
          root_field_name: 'find',
          code: 'select 1 as id',
          returns: 'found',
          object_relationships: [relationship],
        },
      ],
    })
    expect(answer).toMatchObject({
      body: {
        is_consistent: false,
        inconsistent_objects: [
          {
            name: 'object_relation related in native_query find in source default',
            reason: expect.stringContaining(reason),
          },
        ],
      },
    })
  },
)
