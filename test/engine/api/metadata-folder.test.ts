import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  readMetadata,
  readMetadataDocument,
} from '../../../engine/metadata/read-metadata-folder.ts'

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

test('files are included from where they are named, quoted as by the CLI or by hand without', async () => {
  write(
    'databases/databases.yaml',
    '- name: default\n  kind: postgres\n  tables: !include default/tables.yaml',
  )
  write('databases/default/tables.yaml', '- "!include public_vote.yaml"\n')
  write('databases/default/public_vote.yaml', 'table: { name: vote, schema: public }')
  const { sources } = await readMetadata(folder)
  expect(sources[0]?.tables).toMatchObject([{ table: { name: 'vote', schema: 'public' } }])
})

test('a file that is empty, or has only comments, is like a missing one', async () => {
  const without = await readMetadataDocument(folder)
  write('cron_triggers.yaml', '')
  write('rest_endpoints.yaml', '# none yet\n')
  expect(await readMetadataDocument(folder)).toEqual(without)
})

test('yes, no and dates are strings, as in YAML 1.2', async () => {
  write(
    'query_collections.yaml',
    '- { name: yes, comment: 2026-01-01, definition: { queries: [] } }',
  )
  expect(await readMetadataDocument(folder)).toMatchObject({
    query_collections: [{ name: 'yes', comment: '2026-01-01' }],
  })
})

test.each([
  ['databases/tables.yaml', '- table: { name: vote', 'tables.yaml: unexpected end'],
  ['cron_triggers.yaml', 'a: 1\na: 2', 'cron_triggers.yaml: duplicated mapping key (2:1)'],
  ['databases/tables.yaml', '- "!include missing.yaml"', 'missing.yaml is included but missing'],
  ['databases/tables.yaml', '- !other public_vote.yaml', 'tables.yaml: unknown scalar tag'],
])('%s with %j is refused with its name and fault', async (file, text, fault) => {
  write(file, text)
  await expect(readMetadata(folder)).rejects.toThrow(fault)
})

function write(file: string, text: string) {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}
