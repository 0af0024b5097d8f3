import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  action,
  ITEM,
  type MetadataEngine,
  startMetadataEngine,
} from '../support/metadata-engine.ts'

let setup: MetadataEngine

beforeAll(async () => {
  setup = await startMetadataEngine()
})
afterAll(() => setup?.stop())

const conflict = (root: string, field: string) =>
  `conflicting definitions in the selection set for '${root}' for field '${field}'`

test.each([
  [
    "an action with the name of a table's query",
    { actions: [action('item_by_pk', { type: 'query' })] },
    ['action item_by_pk', conflict('query_root', 'item_by_pk')],
  ],
  [
    "an action with the name of a table's mutation",
    { actions: [action('insert_item_one', { type: 'mutation' })] },
    ['action insert_item_one', conflict('mutation_root', 'insert_item_one')],
  ],
  [
    "an asynchronous action with the name of a table's query",
    { actions: [action('item', { type: 'mutation', kind: 'asynchronous' })] },
    ['action item', conflict('query_root', 'item')],
  ],
])('%s is reported, and the table is served', async (_title, rest, [name, reason]) => {
  const { body } = await setup.setMetadata({ tables: [ITEM] }, rest)
  expect(body).toMatchObject({
    inconsistent_objects: [{ type: 'action', name, reason: expect.stringContaining(`${reason}`) }],
  })
  expect((await setup.engine.graphql('{item {id} item_by_pk(id: 1) {id}}')).body).toEqual({
    data: { item: [], item_by_pk: null },
  })
})

const ALL = { columns: [], filter: {} }

test.each([
  [
    'permissions of one role',
    {
      ...ITEM,
      select_permissions: [
        { role: 'r', permission: { ...ALL, limit: 1 } },
        { role: 'r', permission: ALL },
      ],
    },
    'select permissions: r',
  ],
  [
    'relationships of one name',
    {
      ...ITEM,
      object_relationships: ['kind', 'kind'].map((name) => ({
        name,
        using: { manual_configuration: { remote_table: 'kind', column_mapping: { kind: 'name' } } },
      })),
    },
    'object relationships: kind',
  ],
])('two %s on one table are rejected', async (_title, table, reason) => {
  const answer = await setup.setMetadata({ tables: [{ table: 'kind' }, table] })
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'parse-failed',
      path: '$.args.metadata.sources[0].tables[1]',
      error: `multiple declarations exist for the following ${reason}`,
    },
  })
})

const twin = { role_name: 'twin', role_set: [] }

test.each([
  ['actions', [action('twin', {}), action('twin', {})], 'actions: twin'],
  ['inherited_roles', [twin, twin], 'inherited roles: twin'],
  [
    'query_collections',
    ['twin', 'twin'].map((name) => ({ name, definition: { queries: [] } })),
    'query collections: twin',
  ],
])('two objects of one name in %s are rejected', async (list, entries, reason) => {
  const answer = await setup.setMetadata({ tables: [] }, { [list]: entries })
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'parse-failed',
      path: '$.args.metadata',
      error: `multiple declarations exist for the following ${reason}`,
    },
  })
})

test('a table tracked with and without its schema is rejected', async () => {
  const answer = await setup.setMetadata({
    tables: [ITEM, { table: { schema: 'public', name: 'item' } }],
  })
  expect(answer.body).toMatchObject({
    path: '$.args.metadata.sources[0]',
    error: 'multiple declarations exist for the following tables: item',
  })
})

test('a mutation action can have the name of a query field, and a query action the name of a mutation field', async () => {
  const actions = [action('item', { type: 'mutation' }), action('insert_item', { type: 'query' })]
  const { body } = await setup.setMetadata({ tables: [ITEM] }, { actions })
  expect(body).toEqual({ is_consistent: true, inconsistent_objects: [] })
})

test('a function with the name of a table is reported', async () => {
  const functions = [{ function: 'items', configuration: { custom_name: 'item' } }]
  const { body } = await setup.setMetadata({ tables: [ITEM], functions })
  expect(body).toMatchObject({
    inconsistent_objects: [
      { type: 'function', reason: expect.stringContaining(conflict('query_root', 'item')) },
    ],
  })
})

test('two tables with the same root field are reported', async () => {
  const configuration = { custom_root_fields: { select_by_pk: 'item' } }
  const { body } = await setup.setMetadata({ tables: [ITEM, { table: 'kind', configuration }] })
  expect(body).toMatchObject({
    inconsistent_objects: [
      {
        name: 'table kind in source default',
        reason: expect.stringContaining(conflict('query_root', 'item')),
      },
    ],
  })
})
