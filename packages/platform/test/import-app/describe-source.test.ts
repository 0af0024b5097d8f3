import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../local/process/temporary-folder.ts'
import { describeSource } from '../../commands/import-app/file/describe-source.ts'

const folder = temporaryFolder('source-')
const digest = hash('sha256', 'people')

test('the source of an import is the name and the hash of the file, on one line', async () => {
  const path = join(folder, 'two\nlines.jsonl')
  writeFileSync(path, 'people')
  expect(await describeSource(path)).toBe(`two lines.jsonl, SHA-256 ${digest}`)
})

test('the source of a download has the address of the service without its query and password', async () => {
  const path = join(folder, 'people.jsonl')
  writeFileSync(path, 'people')
  expect(await describeSource(path, 'https://me:secret@world.example/api/v1/graphql?key=1')).toBe(
    `https://world.example/api/v1/graphql, people.jsonl, SHA-256 ${digest}`,
  )
})
