import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  action,
  fields,
  ITEM,
  type MetadataEngine,
  startMetadataEngine,
} from '../support/metadata-engine.ts'

let setup: MetadataEngine

beforeAll(async () => {
  setup = await startMetadataEngine()
})
afterAll(() => setup?.stop())

/** Returns an object type with a relationship that joins on its first field. */
const relatedObject = (objectFields: object[]) => ({
  custom_types: {
    objects: [
      {
        name: 'Out',
        fields: objectFields,
        relationships: [
          { name: 'r', type: 'object', remote_table: 'item', field_mapping: { f0: 'id' } },
        ],
      },
      { name: 'Inner', fields: fields('Int') },
    ],
  },
})

test.each([
  [
    'an argument of an unknown type',
    { actions: [action('act', { arguments: fields('Nowhere!') })] },
    [['action act', 'the type: "Nowhere" is not defined in custom types']],
  ],
  [
    'an argument of an output type',
    {
      actions: [action('act', { arguments: fields('[Out!]') })],
      custom_types: { objects: [{ name: 'Out', fields: fields('Int') }] },
    },
    [['action act', 'not a scalar/enum/input_object']],
  ],
  [
    'an unknown output type',
    { actions: [action('act', { output_type: '[Nowhere]!' })] },
    [['action act', 'the type: "Nowhere" is not an object or scalar type']],
  ],
  [
    'a field of an unknown type, which affects all actions,',
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
        input_objects: [{ name: 'In', fields: fields('In', 'Nowhere') }],
      },
    },
    [
      [
        'custom_types custom_types',
        `failed for the following reasons:
  • the type "Nowhere" for field "f0" in object type "Inner" does not exist
  • the type "Nowhere" for field "f1" in input object type "In" does not exist`,
      ],
      ['action act', 'custom types are inconsistent'],
      ['action ask', 'custom types are inconsistent'],
      ['action other', 'custom types are inconsistent'],
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
    'a relationship by a missing field',
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
    'a relationship by a field of a list type',
    relatedObject(fields('[Int!]')),
    [
      [
        'custom_types custom_types',
        'the type of the field "f0" for relationship "r" in object type "Out" is a list type',
      ],
    ],
  ],
  [
    'a relationship by a field of an object type',
    { ...relatedObject(fields('Inner')), actions: [action('act', { output_type: 'Out!' })] },
    [
      [
        'action act',
        'in action "act"; Relationships cannot be defined with nested object fields: "r"',
      ],
    ],
  ],
  [
    'a relationship next to an object field of an asynchronous action',
    {
      ...relatedObject(fields('Int', 'Inner')),
      actions: [action('act', { output_type: 'Out', kind: 'asynchronous' })],
    },
    [['action act', 'Async action relations cannot be used with object fields: "f1"']],
  ],
  [
    'a type with the name of a table',
    { custom_types: { objects: [{ name: 'item', fields: fields('Int') }] } },
    [['custom_types custom_types', 'the type "item" is already defined by a table']],
  ],
  [
    'fields and enum values with the same name',
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
])('metadata with %s is reported as inconsistent', async (_title, rest, expected) => {
  const { body } = await setup.setMetadata({ tables: [ITEM] }, rest)
  expect(body).toMatchObject({
    inconsistent_objects: expected.map(([name, reason]) => ({
      name,
      reason: expect.stringContaining(String(reason)),
    })),
  })
})

test.each([
  [
    'a handler URL with an unset variable',
    { actions: [action('act', { handler: '{{NOWHERE}}/act' })] },
    ['action act', 'in action "act"; Value for environment variables not found: NOWHERE'],
  ],
  [
    'roles that inherit from each other',
    {
      inherited_roles: [
        { role_name: 'b', role_set: ['a'] },
        { role_name: 'c', role_set: ['b'] },
        { role_name: 'a', role_set: ['c'] },
      ],
    },
    ['inherited_role inherited role b', 'found cycle(s) in roles: ["a","c","b","a"]'],
  ],
  [
    'a role that inherits from unknown roles',
    { inherited_roles: [{ role_name: 'heir', role_set: ['x', 'y'] }] },
    [
      'inherited_role inherited role heir',
      'in inherited role heir: the following parent role(s) are not found: x, y which are required to construct the inherited role: "heir"',
    ],
  ],
])(
  'metadata with %s is reported with the object and reason',
  async (_title, rest, [name, reason]) => {
    const { body } = await setup.setMetadata({ tables: [ITEM] }, rest)
    expect(body).toMatchObject({ is_consistent: false })
    expect(body).toHaveProperty('inconsistent_objects[0].name', name)
    expect(body).toHaveProperty('inconsistent_objects[0].reason', `Inconsistent object: ${reason}`)
  },
)

test('an action with a header from an unset variable is consistent, but its calls fail', async () => {
  const headers = [{ name: 'a', value_from_env: 'NOWHERE' }]
  const { body } = await setup.setMetadata(
    { tables: [] },
    { actions: [action('act', { headers })] },
  )
  expect(body).toMatchObject({ is_consistent: true })
  const answer = await setup.engine.graphql('mutation { act }')
  expect(answer.body).toMatchObject({
    errors: [
      { message: "environment variable 'NOWHERE' not set", extensions: { code: 'not-found' } },
    ],
  })
})

test('scalars of PostgreSQL and GraphQL can be types of actions', async () => {
  const types = ['Int', 'ID', 'uuid', 'timestamptz', 'bigint', '[jsonb!]', 'numeric', 'Own']
  const { body } = await setup.setMetadata(
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
