import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readMetadataDocument } from '../../metadata/folder/read-metadata-folder.ts'
import { compareMetadata } from '../../project/compare-metadata.ts'
import { metadataFiles } from '../../project/metadata-files.ts'
import { writeMetadataFolder } from '../../project/write-metadata-folder.ts'
import { createProjectFolder, type ProjectFolder } from '../support/project-folder.ts'

let project: ProjectFolder
beforeEach(() => {
  project = createProjectFolder()
})
afterEach(() => project.remove())

/** Writes a metadata document as a folder and reads it again. */
async function writeAndRead(document: Record<string, unknown>) {
  const folder = join(project.folder, 'written')
  mkdirSync(folder)
  await writeMetadataFolder(folder, metadataFiles(document))
  return readMetadataDocument(folder)
}

test("the platform's metadata is unchanged after being written and read", async () => {
  const document = await readMetadataDocument('hasura/metadata')
  const again = await writeAndRead(document)
  const compared = compareMetadata({ name: 'a', document }, { name: 'b', document: again })
  expect(compared).toBe('')
  expect(JSON.parse(JSON.stringify(again.sources))).toEqual(
    JSON.parse(JSON.stringify(document.sources)),
  )
})

test('written custom types keep their fields, descriptions, values and relationships, and actions keep their order', async () => {
  const document = {
    version: 3,
    sources: [],
    actions: [
      {
        name: 'greet',
        definition: {
          kind: 'synchronous',
          handler: '{{BASE}}/greet',
          type: 'query',
          arguments: [{ name: 'who', type: '[Person!]!', description: 'Whom "to" greet' }],
          output_type: 'Greeting',
        },
        permissions: [{ role: 'user' }],
      },
      {
        name: 'wave',
        definition: { kind: 'asynchronous', handler: 'x', arguments: [], output_type: 'Boolean!' },
      },
    ],
    custom_types: {
      input_objects: [{ name: 'Person', fields: [{ name: 'mood', type: 'Mood' }] }],
      objects: [
        {
          name: 'Greeting',
          description: 'In words',
          fields: [{ name: 'text', type: 'Words!' }],
          relationships: [{ name: 'book', type: 'object', field_mapping: { text: 'title' } }],
        },
      ],
      enums: [{ name: 'Mood', values: [{ value: 'GOOD', description: 'Well' }] }],
      scalars: [{ name: 'Words' }],
    },
  }
  const again = await writeAndRead(document)
  const expected = structuredClone(document)
  expect(JSON.parse(JSON.stringify(again))).toMatchObject({
    ...expected,
    actions: [{ name: 'wave' }, { name: 'greet' }]
      .map(({ name }) => expect.objectContaining({ name }))
      .reverse(),
  })
})

test('tables with names that are paths or differ only in case get separate files in the folder', async () => {
  const names = ['../../escape', '.hidden', 'Book', 'book', 'BOOK', 'ünïcode', 'a b']
  const document = {
    version: 3,
    sources: [{ name: 'default', kind: 'postgres', tables: names.map((table) => ({ table })) }],
  }
  const paths = [...metadataFiles(document).keys()].filter((path) => path.includes('/tables/'))
  expect(paths).toHaveLength(names.length + 1)
  expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(paths.length)
  for (const path of paths) expect(path).toMatch(/^databases\/default\/tables\/[^/.][^/]*\.yaml$/)
  expect((await writeAndRead(document)).sources).toEqual(document.sources)
})

test('compareMetadata ignores the order of keys and objects, but not values', () => {
  const a = {
    sources: [{ name: 'default', tables: [{ table: 'x' }, { table: 'y' }], functions: [] }],
  }
  const b = { sources: [{ tables: [{ table: 'y' }, { table: 'x' }], name: 'default' }] }
  const compare = (document: Record<string, unknown>) =>
    compareMetadata({ name: 'a', document: a }, { name: 'b', document })
  expect(compare(b)).toBe('')
  expect(compare({ sources: [{ name: 'default', tables: [{ table: 'x' }] }] })).toMatch(
    /--- a\/databases\/default\/tables\/public_y\.yaml/,
  )
})
