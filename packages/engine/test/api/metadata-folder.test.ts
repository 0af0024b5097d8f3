import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readMetadata, readMetadataDocument } from '../../metadata/folder/read-metadata-folder.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'metadata-'))
  write(
    'databases/databases.yaml',
    '- name: default\n  kind: postgres\n  tables: "!include tables.yaml"',
  )
  write('databases/tables.yaml', '[]')
})

afterEach(() => rmSync(folder, { recursive: true }))

test('included files are found relative to the including file, with or without quotes', async () => {
  write(
    'databases/databases.yaml',
    '- name: default\n  kind: postgres\n  tables: !include default/tables.yaml',
  )
  write('databases/default/tables.yaml', '- "!include public_vote.yaml"\n')
  write('databases/default/public_vote.yaml', 'table: { name: vote, schema: public }')
  const { sources } = (await readMetadata(folder)).metadata
  expect(sources[0]?.tables).toMatchObject([{ table: { name: 'vote', schema: 'public' } }])
})

test('a file that is empty or has only comments counts as missing', async () => {
  const without = await readMetadataDocument(folder)
  write('cron_triggers.yaml', '')
  write('rest_endpoints.yaml', '# none yet\n')
  expect(await readMetadataDocument(folder)).toEqual(without)
})

test('yes and dates are read as strings, as in YAML 1.2', async () => {
  write(
    'query_collections.yaml',
    '- { name: yes, comment: 2026-01-01, definition: { queries: [] } }',
  )
  expect(await readMetadataDocument(folder)).toMatchObject({
    query_collections: [{ name: 'yes', comment: '2026-01-01' }],
  })
})

test('text in brackets or quotes may be indented less than its key', async () => {
  write(
    'databases/tables.yaml',
    `- table: { name: vote, schema: public }
  select_permissions: [
  {
    role: reader, permission: { columns: '*', filter: {
} } }
]
  configuration: { comment: "two
lines" }`,
  )
  const { sources } = (await readMetadata(folder)).metadata
  const permission = { columns: '*', filter: {} }
  expect(sources[0]?.tables).toMatchObject([
    {
      configuration: { comment: 'two lines' },
      select_permissions: [{ role: 'reader', permission }],
    },
  ])
})

test('YAML merge keys are merged', async () => {
  write(
    'databases/tables.yaml',
    `- table: { name: vote, schema: public }
  select_permissions:
    - { role: reader, permission: &all { columns: '*', filter: {} } }
    - { role: writer, permission: { <<: *all, limit: 5 } }`,
  )
  const { sources } = (await readMetadata(folder)).metadata
  expect(sources[0]?.tables[0]?.select_permissions).toMatchObject([
    { permission: { columns: '*' } },
    { permission: { columns: '*', filter: {}, limit: 5 } },
  ])
})

describe('keys that Hasura does not know are ignored or rejected', () => {
  const table = (permission: string) => `
- table: { name: vote, schema: public }
  insert_permissions:
    - role: writer
      permission: ${permission}`

  test('an unknown key is ignored with a warning that names the file and the table', async () => {
    write(
      'databases/databases.yaml',
      '- name: default\n  colour: red\n  tables: "!include tables.yaml"',
    )
    write('databases/tables.yaml', table('{ check: {}, columns: [id], computed_fields: [] }'))
    const { metadata, warnings } = await readMetadata(folder)
    const [permission] = metadata.sources[0]?.tables[0]?.insert_permissions ?? []
    expect(permission?.permission).toMatchObject({ check: {}, columns: ['id'] })
    expect(warnings).toEqual([
      'databases/tables.yaml: sources[default].tables[vote].insert_permissions[writer].permission.computed_fields is ignored: Hasura has no such key',
      'databases/databases.yaml: sources[default].colour is ignored: Hasura has no such key',
    ])
  })

  test('an unknown key is ignored in objects that have several forms', async () => {
    write(
      'databases/tables.yaml',
      `
- table: { name: vote, schema: public, colour: red }
  object_relationships:
    - name: voter
      using: { foreign_key_constraint_on: { table: voter, column: id, colour: red } }
  remote_relationships:
    - name: poll
      definition:
        colour: red
        to_source: { source: default, table: poll, relationship_type: object, field_mapping: {}, colour: red }`,
    )
    const { metadata, warnings } = await readMetadata(folder)
    expect(metadata.sources[0]?.tables[0]).toMatchObject({
      table: { name: 'vote' },
      remote_relationships: [{ definition: { to_source: { source: 'default' } } }],
    })
    expect(warnings).toHaveLength(4)
  })

  test.each(['chek', 'checks', 'column', 'sets', 'backend_onli'])(
    "the key %s is rejected because it is one typing error away from a permission's key",
    async (key) => {
      write('databases/tables.yaml', table(`{ check: {}, ${key}: {} }`))
      await expect(readMetadata(folder)).rejects.toThrow(
        `databases/tables.yaml: sources[default].tables[vote].insert_permissions[writer].permission: Unrecognized key: "${key}"`,
      )
    },
  )
})

test('an error names the file and the object', async () => {
  write('databases/tables.yaml', '- table: { name: vote, schema: audit }\n  is_enum: 7')
  await expect(readMetadata(folder)).rejects.toThrow(
    'databases/tables.yaml: sources[default].tables[audit.vote].is_enum: Invalid input: expected boolean',
  )
})

test.each([
  ['databases/tables.yaml', '- a:\n  - b\n - c', 'tables.yaml: bad indentation'],
  ['databases/tables.yaml', '- table: { name: vote', 'tables.yaml: unexpected end'],
  ['cron_triggers.yaml', 'a: 1\na: 2', 'cron_triggers.yaml: duplicated mapping key (2:1)'],
  ['databases/tables.yaml', '- "!include missing.yaml"', 'missing.yaml is included but missing'],
  ['databases/tables.yaml', '- !other public_vote.yaml', 'tables.yaml: unknown scalar tag'],
])(
  'a metadata file %s with %j is rejected with the file name and the reason',
  async (file, text, fault) => {
    write(file, text)
    await expect(readMetadata(folder)).rejects.toThrow(fault)
  },
)

function write(file: string, text: string) {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}
