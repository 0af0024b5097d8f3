import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, database } from '../database.ts'
import { type RunningEngine, startEngine } from './start-engine.ts'

let db: Database
let engine: RunningEngine

beforeAll(async () => {
  db = await database()
  await db.query(`
    create table item (id int primary key, name text, kind text);
    create table "odd name" (id int primary key);
    create table kind (name text primary key);
    create function names() returns text language sql stable as $$ select 'x' $$;
    create function items() returns setof item language sql stable as $$ select * from item $$;
    create function twice(a int) returns setof item language sql stable as $$ select * from item $$;
    create function twice(a text) returns setof item language sql stable as $$ select * from item $$;`)
  engine = await startEngine(db.url)
})
afterAll(async () => {
  await engine?.stop()
  await db?.drop()
})

const ITEM = { table: 'item' }
const granted = (kind: string, permission: object) => ({
  tables: [{ ...ITEM, [kind]: [{ role: 'user', permission }] }],
})

test.each([
  ['a table that is not there', { tables: [{ table: 'gone' }] }, 'no such table'],
  ['a table whose name GraphQL refuses', { tables: [{ table: 'odd name' }] }, 'custom name'],
  [
    'two tables of one name',
    { tables: [ITEM, { table: 'kind', configuration: { custom_name: 'item' } }] },
    'same name',
  ],
  ['an enum without rows', { tables: [{ table: 'kind', is_enum: true }] }, 'it has no rows'],
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
    'a relationship to a table that is not tracked',
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
    'a granted column that is not there',
    granted('select_permissions', { columns: ['x'], filter: {} }),
    '"x" does not exist',
  ],
  [
    'a filter on a column that is not there',
    granted('select_permissions', { columns: '*', filter: { x: 1 } }),
    '"x" does not exist',
  ],
  [
    'a filter with an operator that is not there',
    granted('select_permissions', { columns: '*', filter: { id: { _is: 1 } } }),
    '_is',
  ],
  [
    'a preset of a column that is not there',
    granted('insert_permissions', { check: {}, set: { x: 1 } }),
    '"x" does not exist',
  ],
  [
    'a check that nobody makes',
    granted('insert_permissions', { check: {}, validate_input: { type: 'http' } }),
    'validate_input',
  ],
  [
    'a function that is not there',
    { tables: [ITEM], functions: [{ function: 'gone' }] },
    'no such function',
  ],
  [
    'a function that returns no table',
    { tables: [ITEM], functions: [{ function: 'names' }] },
    'the function does not return a table',
  ],
  ['a function of two kinds', { tables: [ITEM], functions: [{ function: 'twice' }] }, 'overloaded'],
  [
    'remote relationships',
    { tables: [{ ...ITEM, remote_relationships: [{ name: 'r' }] }] },
    'not supported',
  ],
])('%s is reported by name, and the rest is served', async (_title, source, reason) => {
  const answered = await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: {
      allow_inconsistent_metadata: true,
      metadata: { version: 3, sources: [{ name: 'default', kind: 'postgres', ...source }] },
    },
  })
  expect(answered.body).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [
      {
        type: expect.any(String),
        name: expect.any(String),
        reason: expect.stringContaining(reason),
      },
    ],
  })
  const { body } = await engine.graphql('{__typename}')
  expect(body).toEqual({ data: { __typename: 'query_root' } })
})

test('a permission that does not fit is not granted', async () => {
  await engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: {
      allow_inconsistent_metadata: true,
      metadata: {
        version: 3,
        sources: [
          {
            name: 'default',
            kind: 'postgres',
            ...granted('select_permissions', { columns: '*', filter: { x: 1 } }),
          },
        ],
      },
    },
  })
  const { body } = await engine.graphql('{item {id}}', {}, { 'x-hasura-role': 'user' })
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
})

const action = (name: string, definition: object) => ({
  name,
  definition: {
    kind: 'synchronous',
    handler: 'http://handler/',
    output_type: 'Int',
    ...definition,
  },
})
const fields = (...types: string[]) => types.map((type, i) => ({ name: `f${i}`, type }))
/** An object with a relationship by its first field. */
const related = (own: object[]) => ({
  custom_types: {
    objects: [
      {
        name: 'Out',
        fields: own,
        relationships: [
          { name: 'r', type: 'object', remote_table: 'item', field_mapping: { f0: 'id' } },
        ],
      },
      { name: 'Inner', fields: fields('Int') },
    ],
  },
})
const conflict = (root: string, field: string) =>
  `conflicting definitions in the selection set for '${root}' for field '${field}'`

test.each([
  [
    'an argument of a type that is nowhere',
    { actions: [action('act', { arguments: fields('Nowhere!') })] },
    [['action act', 'the type: "Nowhere" is not defined in custom types']],
  ],
  [
    'an argument whose type is an object that is answered',
    {
      actions: [action('act', { arguments: fields('[Out!]') })],
      custom_types: { objects: [{ name: 'Out', fields: fields('Int') }] },
    },
    [['action act', 'not a scalar/enum/input_object']],
  ],
  [
    'an answer of a type that is nowhere',
    { actions: [action('act', { output_type: '[Nowhere]!' })] },
    [['action act', 'the type: "Nowhere" is not an object or scalar type']],
  ],
  [
    'what is no type',
    { actions: [action('act', { output_type: '[Int' })] },
    [['action act', 'the type: "[Int" is not an object or scalar type']],
  ],
  [
    'a field of a type that is nowhere, with the actions that use it',
    {
      actions: [
        action('act', { output_type: 'Outer' }),
        action('ask', { arguments: fields('In') }),
        action('other', {}),
      ],
      custom_types: {
        objects: [
          { name: 'Outer', fields: fields('Inner') },
          { name: 'Inner', fields: fields('Nowhere') },
        ],
        input_objects: [{ name: 'In', fields: fields('In', 'Nowhere', '[Int') }],
      },
    },
    [
      [
        'custom_types custom_types',
        `failed for the following reasons:
  • the type "Nowhere" for field "f0" in object type "Inner" does not exist
  • the type "Nowhere" for field "f1" in input object type "In" does not exist
  • the type "[Int" for field "f2" in input object type "In" does not exist`,
      ],
      ['action act', '"Outer"'],
      ['action ask', '"In"'],
    ],
  ],
  [
    'two types of one name',
    {
      custom_types: {
        objects: [{ name: 'Two', fields: fields('Int') }],
        scalars: [{ name: 'Two' }],
      },
    },
    [['custom_types custom_types', 'because duplicate type names: "Two"']],
  ],
  [
    'a relationship by a field that is not there',
    {
      custom_types: {
        objects: [
          {
            name: 'Out',
            fields: fields('Int'),
            relationships: [
              { name: 'r', type: 'object', remote_table: 'item', field_mapping: { gone: 'id' } },
            ],
          },
        ],
      },
    },
    [['custom_types custom_types', 'the field "gone" for relationship "r" in object type "Out"']],
  ],
  [
    'a relationship by a field that holds many values',
    related(fields('[Int!]')),
    [
      [
        'custom_types custom_types',
        'the type of the field "f0" for relationship "r" in object type "Out" is a list type',
      ],
    ],
  ],
  [
    'a relationship by a field that is an object',
    { ...related(fields('Inner')), actions: [action('act', { output_type: 'Out!' })] },
    [
      [
        'action act',
        'in action "act"; Relationships cannot be defined with nested object fields: "r"',
      ],
    ],
  ],
  [
    'relationships beside an object in what an asynchronous action answers',
    {
      ...related(fields('Int', 'Inner')),
      actions: [action('act', { output_type: 'Out', kind: 'asynchronous' })],
    },
    [['action act', 'Async action relations cannot be used with object fields: "f1"']],
  ],
  [
    'a type named like the rows of a table',
    { custom_types: { objects: [{ name: 'item', fields: fields('Int') }] } },
    [['custom_types custom_types', 'the type "item" is already defined by a table']],
  ],
  [
    'fields and values of one name',
    {
      custom_types: {
        objects: [{ name: 'Out', fields: [...fields('Int'), ...fields('Int')] }],
        input_objects: [{ name: 'In', fields: [...fields('Int'), ...fields('Int')] }],
        enums: [{ name: 'E', values: [{ value: 'A' }, { value: 'A' }] }],
      },
    },
    [
      [
        'custom_types custom_types',
        `the enum type "E" has duplicate values: "A"
  • the input object "In" has duplicate fields: "f0"
  • the object "Out" has duplicate fields: "f0"`,
      ],
    ],
  ],
])('%s', async (_title, rest, expected) => {
  const { body } = await allowing({ tables: [ITEM] }, rest)
  expect(body).toMatchObject({
    inconsistent_objects: expected.map(([name, reason]) => ({
      name,
      reason: expect.stringContaining(String(reason)),
    })),
  })
})

test.each([
  [
    'a handler at an address from a variable that is not set',
    { actions: [action('act', { handler: '{{NOWHERE}}/act' })] },
    ['action act', 'in action "act"; environment variables not set: ["NOWHERE"]'],
  ],
  [
    'a header from a variable that is not set',
    { actions: [action('act', { headers: [{ name: 'a', value_from_env: 'NOWHERE' }] })] },
    ['action act', 'in action "act"; environment variable \'NOWHERE\' not set'],
  ],
  [
    'roles that inherit from each other',
    {
      inherited_roles: [
        { role_name: 'a', role_set: ['b'] },
        { role_name: 'b', role_set: ['a'] },
      ],
    },
    ['inherited role a', 'found cycle(s) in roles: a -> b -> a'],
  ],
])('%s: reported', async (_title, rest, [name, reason]) => {
  const { body } = await allowing({ tables: [ITEM] }, rest)
  expect(body).toMatchObject({ is_consistent: false })
  expect(body).toHaveProperty('inconsistent_objects[0].name', name)
  expect(body).toHaveProperty('inconsistent_objects[0].reason', `Inconsistent object: ${reason}`)
})

test('a role whose parents disagree about a change is reported, and still reads', async () => {
  const may = (role: string, columns: string[]) => ({ role, permission: { columns, filter: {} } })
  const tables = [
    {
      ...ITEM,
      select_permissions: [may('a', ['id'])],
      update_permissions: [may('a', ['name']), may('b', ['kind'])],
    },
  ]
  const inherited_roles = [{ role_name: 'heir', role_set: ['a', 'b'] }]
  const { body } = await allowing({ tables }, { inherited_roles })
  expect(body).toMatchObject({
    inconsistent_objects: [
      {
        type: 'inherited role permission inconsistency',
        name: 'heir',
        entity: { permission_type: 'update', source: 'default' },
      },
    ],
  })
  const heir = { 'x-hasura-role': 'heir' }
  expect((await engine.graphql('{item {id}}', {}, heir)).body).toEqual({ data: { item: [] } })
  const change = 'mutation {update_item(where: {}, _set: {name: "x"}) {affected_rows}}'
  expect((await engine.graphql(change, {}, heir)).body).toMatchObject({
    errors: [{ message: 'no mutations exist' }],
  })
})

test('a function that only reads is no mutation', async () => {
  const functions = [{ function: 'items', configuration: { exposed_as: 'mutation' } }]
  const { body } = await allowing({ tables: [ITEM], functions })
  expect(body).toMatchObject({
    inconsistent_objects: [
      { type: 'function', reason: expect.stringContaining('is not marked VOLATILE') },
    ],
  })
})

test('scalars of the database and of GraphQL are types of actions', async () => {
  const types = ['Int', 'ID', 'uuid', 'timestamptz', 'bigint', '[jsonb!]', 'numeric', 'Own']
  const { body } = await allowing(
    { tables: [] },
    {
      actions: types.map((type, i) =>
        action(`act${i}`, { arguments: fields(type), output_type: type }),
      ),
      custom_types: { scalars: [{ name: 'Own' }] },
    },
  )
  expect(body).toEqual({ is_consistent: true, inconsistent_objects: [] })
})

test.each([
  [
    'an action named like a query of a table',
    { actions: [action('item_by_pk', { type: 'query' })] },
    ['action item_by_pk', conflict('query_root', 'item_by_pk')],
  ],
  [
    'an action named like a mutation of a table',
    { actions: [action('insert_item_one', { type: 'mutation' })] },
    ['action insert_item_one', conflict('mutation_root', 'insert_item_one')],
  ],
  [
    'an asynchronous action, whose result is asked for by the name of a table',
    { actions: [action('item', { type: 'mutation', kind: 'asynchronous' })] },
    ['action item', conflict('query_root', 'item')],
  ],
  [
    'two actions of one name',
    { actions: [action('twin', { type: 'query' }), action('twin', { type: 'query' })] },
    ['action twin', conflict('query_root', 'twin')],
  ],
])('%s is reported, and the other is served', async (_title, rest, [name, reason]) => {
  const { body } = await allowing({ tables: [ITEM] }, rest)
  expect(body).toMatchObject({
    inconsistent_objects: [{ type: 'action', name, reason: expect.stringContaining(`${reason}`) }],
  })
  expect((await engine.graphql('{item {id} item_by_pk(id: 1) {id}}')).body).toEqual({
    data: { item: [], item_by_pk: null },
  })
})

test('a name that only the other kind of operation uses is free', async () => {
  const actions = [action('item', { type: 'mutation' }), action('insert_item', { type: 'query' })]
  const { body } = await allowing({ tables: [ITEM] }, { actions })
  expect(body).toEqual({ is_consistent: true, inconsistent_objects: [] })
})

test('a function named like a table is reported', async () => {
  const functions = [{ function: 'items', configuration: { custom_name: 'item' } }]
  const { body } = await allowing({ tables: [ITEM], functions })
  expect(body).toMatchObject({
    inconsistent_objects: [
      { type: 'function', reason: expect.stringContaining(conflict('query_root', 'item')) },
    ],
  })
})

test('two tables whose root fields are named alike are reported', async () => {
  const configuration = { custom_root_fields: { select_by_pk: 'item' } }
  const { body } = await allowing({ tables: [ITEM, { table: 'kind', configuration }] })
  expect(body).toMatchObject({
    inconsistent_objects: [
      {
        name: 'table kind in source default',
        reason: expect.stringContaining(conflict('query_root', 'item')),
      },
    ],
  })
})

/** Makes this the metadata, whatever is wrong with it. */
function allowing(source: object, rest: object = {}) {
  return engine.post('/v1/metadata', {
    type: 'replace_metadata',
    version: 2,
    args: {
      allow_inconsistent_metadata: true,
      metadata: {
        version: 3,
        sources: [{ name: 'default', kind: 'postgres', ...source }],
        ...rest,
      },
    },
  })
}
