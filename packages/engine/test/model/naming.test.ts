import { expect, test } from 'vitest'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import {
  createSourceNaming,
  customBaseName,
  type Naming,
  splitBaseName,
} from '../../compiler/model/naming.ts'
import type { SourceMetadata } from '../../metadata/metadata.ts'
import { emptyMetadata } from '../../metadata/metadata.ts'

/** Creates the naming of a source with this customization. */
function naming(
  customization: SourceMetadata['customization'],
  settings: Partial<Parameters<typeof createSourceNaming>[1]> = {},
): Naming {
  const source = requireValue(emptyMetadata().sources[0], 'the source')
  return createSourceNaming(
    { ...source, customization },
    {
      experimentalFeatures: ['naming_convention'],
      defaultNamingConvention: 'graphql-default',
      ...settings,
    },
  )
}

test.each([
  ['author', 'author', 'Author'],
  ['book_author', 'bookAuthor', 'BookAuthor'],
  ['_author_id', '_authorId', '_authorId'],
  ['__two', '_Two', '_Two'],
  ['a__b', 'aB', 'AB'],
  ['a_', 'a', 'A'],
  ['CamelCase', 'camelCase', 'CamelCase'],
  ['UPPER_CASE', 'uPPERCASE', 'UPPERCASE'],
  ['made_in_2020', 'madeIn2020', 'MadeIn2020'],
  ['x_1y', 'x1y', 'X1y'],
  ['_', '_', '_'],
])('the name %s becomes the field %s and the type %s', (name, field, type) => {
  const { field: fieldOf, type: typeOf } = naming(null)
  expect([fieldOf(name), typeOf(name)]).toEqual([field, type])
})

test.each(['author', '_author_id', '__two', 'a__b', 'a_', 'CamelCase', '_'])(
  'the convention hasura-default keeps the name %s',
  (name) => {
    const { field, type } = naming({ naming_convention: 'hasura-default' })
    expect([field(name), type(splitBaseName(name))]).toEqual([name, name])
  },
)

test('a custom name is kept at the start and capitalized elsewhere', () => {
  const { field, type } = naming(null)
  const customName = customBaseName('my_own')
  expect(field(customName, 'by_pk')).toBe('my_ownByPk')
  expect(type(customName, 'bool_exp')).toBe('my_ownBoolExp')
  expect(field('insert', customName, 'one')).toBe('insertMy_ownOne')
})

test('prefixes and suffixes are joined as the convention joins words', () => {
  const customization = {
    root_fields: { prefix: 'my_', suffix: 'x' },
    type_names: { prefix: 'my_', suffix: 'x' },
  }
  const modern = naming(customization)
  expect([modern.rootField('author'), modern.type('author')]).toEqual(['my_AuthorX', 'my_AuthorX'])
  expect(modern.sharedType('order_by')).toBe('OrderBy')
  const usual = naming({ ...customization, naming_convention: 'hasura-default' })
  expect([usual.rootField('author'), usual.type('author')]).toEqual(['my_authorx', 'my_authorx'])
})

test('a suffix alone does not change the start of a name', () => {
  expect(naming({ root_fields: { suffix: 'x' } }).rootField('author')).toBe('authorX')
})

test("the convention of a source wins over the server's default", () => {
  expect(naming({ naming_convention: 'hasura-default' }).field('a_b')).toBe('a_b')
  const settings = { defaultNamingConvention: 'hasura-default' } as const
  expect(naming({ naming_convention: 'graphql-default' }, settings).field('a_b')).toBe('aB')
})

test('without the experimental feature, graphql-default has no effect', () => {
  const off = naming({ naming_convention: 'graphql-default' }, { experimentalFeatures: [] })
  expect(off.field('a_b')).toBe('a_b')
  expect(off.enumValue('a_b')).toBe('a_b')
})
