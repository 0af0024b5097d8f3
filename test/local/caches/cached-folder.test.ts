import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { cachedFolder } from '../../../local/caches/cached-folder.ts'

let cache: string
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cached-folder-'))
  cache = join(folder, 'not-made-yet')
  return () => rm(folder, { recursive: true })
})

const fillWith = (text: string) => (folder: string) => writeFile(join(folder, 'text'), text)
const read = (folder: string) => readFile(join(folder, 'text'), 'utf8')

test('a folder is filled once', async () => {
  await cachedFolder(join(cache, 'a'), fillWith('first'))
  expect(await read(await cachedFolder(join(cache, 'a'), fillWith('second')))).toBe('first')
})

test('of two that would fill it at once one does, both get it whole, and nothing is left over', async () => {
  const filled: string[] = []
  const both = ['first', 'second'].map((text) =>
    cachedFolder(join(cache, 'a'), async (folder) => {
      filled.push(text)
      await fillWith(text)(folder)
    }),
  )
  const [one = '', other = ''] = await Promise.all(both)
  expect(one).toBe(other)
  expect(filled).toEqual([await read(one)])
  expect(await readdir(cache)).toEqual(['a'])
})

test('what fills it next does not wait for a process that was killed', async () => {
  await mkdir(cache)
  const killed = spawnSync(process.execPath, ['--version'])
  await writeFile(join(cache, 'a.lock'), String(killed.pid))
  expect(await read(await cachedFolder(join(cache, 'a'), fillWith('whole')))).toBe('whole')
  expect(await readdir(cache)).toEqual(['a'])
})

test('nor for whoever has the id of one that was killed long ago', async () => {
  await mkdir(cache)
  await writeFile(join(cache, 'a.lock'), String(process.pid))
  await utimes(join(cache, 'a.lock'), new Date(0), new Date(0))
  expect(await read(await cachedFolder(join(cache, 'a'), fillWith('whole')))).toBe('whole')
})

test('whoever waits for one that fails tries it, too', async () => {
  const begun = Promise.withResolvers<void>()
  const full = Promise.withResolvers<void>()
  const failing = cachedFolder(join(cache, 'a'), () => {
    begun.resolve()
    return full.promise
  })
  await begun.promise
  const waiting = cachedFolder(join(cache, 'a'), fillWith('whole'))
  full.reject(new Error('no space left'))
  await expect(failing).rejects.toThrow('no space left')
  expect(await read(await waiting)).toBe('whole')
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
