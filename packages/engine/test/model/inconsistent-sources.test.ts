import { afterAll, beforeAll, expect, test } from 'vitest'
import { ITEM, type MetadataEngine, startMetadataEngine } from '../support/metadata-engine.ts'

const TO_NOWHERE = {
  name: 'r',
  definition: {
    to_remote_schema: {
      remote_schema: 'nowhere',
      lhs_fields: ['id'],
      remote_field: { f: { arguments: { id: '$id' } } },
    },
  },
}

let setup: MetadataEngine

beforeAll(async () => {
  setup = await startMetadataEngine()
})
afterAll(() => setup?.stop())

const withPermission = (kind: string, permission: object) => ({
  tables: [{ ...ITEM, [kind]: [{ role: 'user', permission }] }],
})

test.each([
  ['a missing table', { tables: [{ table: 'gone' }] }, 'no such table'],
  [
    'two tables of one name',
    { tables: [ITEM, { table: 'kind', configuration: { custom_name: 'item' } }] },
    'same name',
  ],
  [
    'an enum without rows',
    { tables: [{ table: 'kind', is_enum: true }] },
    'the table must have at least one row',
  ],
  [
    'a relationship without a key',
    {
      tables: [
        {
          ...ITEM,
          object_relationships: [{ name: 'k', using: { foreign_key_constraint_on: 'kind' } }],
        },
      ],
    },
    'no foreign constraint',
  ],
  [
    'a relationship to an untracked table',
    {
      tables: [
        {
          ...ITEM,
          object_relationships: [
            {
              name: 'k',
              using: {
                manual_configuration: { remote_table: 'kind', column_mapping: { kind: 'name' } },
              },
            },
          ],
        },
      ],
    },
    'not tracked',
  ],
  [
    'a permission for a missing column',
    withPermission('select_permissions', { columns: ['x'], filter: {} }),
    '"x" does not exist',
  ],
  [
    'a filter on a missing column',
    withPermission('select_permissions', { columns: '*', filter: { x: 1 } }),
    '"x" does not exist',
  ],
  [
    'a filter with an unknown operator',
    withPermission('select_permissions', { columns: '*', filter: { id: { _is: 1 } } }),
    '_is',
  ],
  [
    'a preset of a missing column',
    withPermission('insert_permissions', { check: {}, set: { x: 1 } }),
    '"x" does not exist',
  ],
  [
    'a webhook URL with an unset variable',
    withPermission('insert_permissions', {
      check: {},
      validate_input: { type: 'http', definition: { url: '{{NOWHERE}}' } },
    }),
    'NOWHERE',
  ],
  ['a missing function', { tables: [ITEM], functions: [{ function: 'gone' }] }, 'no such function'],
  [
    'a function that does not return a table',
    { tables: [ITEM], functions: [{ function: 'names' }] },
    'the function does not return a table',
  ],
  ['an overloaded function', { tables: [ITEM], functions: [{ function: 'twice' }] }, 'overloaded'],
  [
    'a relationship to a missing remote schema',
    { tables: [{ ...ITEM, remote_relationships: [TO_NOWHERE] }] },
    'remote schema "nowhere" does not exist',
  ],
])(
  '%s is reported as inconsistent, and the engine still answers',
  async (_title, source, reason) => {
    const answer = await setup.setMetadata(source)
    expect(answer.body).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        {
          type: expect.any(String),
          name: expect.any(String),
          reason: expect.stringContaining(reason),
        },
      ],
    })
    const { body } = await setup.engine.graphql('{__typename}')
    expect(body).toEqual({ data: { __typename: 'query_root' } })
  },
)

test('an inconsistent permission is not granted', async () => {
  await setup.setMetadata(withPermission('select_permissions', { columns: '*', filter: { x: 1 } }))
  const { body } = await setup.engine.graphql('{item {id}}', {}, { 'x-hasura-role': 'user' })
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
})

test("an inherited role is reported if its parents' update permissions conflict, and can still read", async () => {
  const may = (role: string, columns: string[]) => ({ role, permission: { columns, filter: {} } })
  const tables = [
    {
      ...ITEM,
      select_permissions: [may('a', ['id'])],
      update_permissions: [may('a', ['name']), may('b', ['kind'])],
    },
  ]
  const inherited_roles = [{ role_name: 'heir', role_set: ['a', 'b'] }]
  const { body } = await setup.setMetadata({ tables }, { inherited_roles })
  expect(body).toMatchObject({
    inconsistent_objects: [
      {
        type: 'inherited role permission inconsistency',
        name: 'heir',
        entity: { permission_type: 'update', source: 'default', table: 'item' },
      },
    ],
  })
  const heir = { 'x-hasura-role': 'heir' }
  expect((await setup.engine.graphql('{item {id}}', {}, heir)).body).toEqual({ data: { item: [] } })
  const change = 'mutation {update_item(where: {}, _set: {name: "x"}) {affected_rows}}'
  expect((await setup.engine.graphql(change, {}, heir)).body).toMatchObject({
    errors: [{ message: 'no mutations exist' }],
  })
})

test('a stable function exposed as a mutation is reported', async () => {
  const functions = [{ function: 'items', configuration: { exposed_as: 'mutation' } }]
  const { body } = await setup.setMetadata({ tables: [ITEM], functions })
  expect(body).toMatchObject({
    inconsistent_objects: [
      { type: 'function', reason: expect.stringContaining('is not marked VOLATILE') },
    ],
  })
})
