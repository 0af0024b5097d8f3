import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { cachedFolder } from '../../lib/cached-folder.ts'

let cache: string
beforeEach(async () => {
  cache = join(await mkdtemp(join(tmpdir(), 'cached-folder-')), 'not-made-yet')
})

const fillWith = (text: string) => (folder: string) => writeFile(join(folder, 'text'), text)
const read = (folder: string) => readFile(join(folder, 'text'), 'utf8')

test('a folder is filled once', async () => {
  await cachedFolder(join(cache, 'a'), fillWith('first'))
  expect(await read(await cachedFolder(join(cache, 'a'), fillWith('second')))).toBe('first')
})

test('two that fill it at once both get it whole, and nothing is left over', async () => {
  const both = ['first', 'second'].map((text) => cachedFolder(join(cache, 'a'), fillWith(text)))
  const [one = '', other = ''] = await Promise.all(both)
  expect(one).toBe(other)
  expect(['first', 'second']).toContain(await read(one))
  expect(await readdir(cache)).toEqual(['a'])
})

test('a failure leaves nothing, so the next attempt starts afresh', async () => {
  const failing = cachedFolder(join(cache, 'a'), async (folder) => {
    await fillWith('half')(folder)
    throw new Error('no space left')
  })
  await expect(failing).rejects.toThrow('no space left')
  expect(await readdir(cache)).toEqual([])
  expect(await read(await cachedFolder(join(cache, 'a'), fillWith('whole')))).toBe('whole')
})
