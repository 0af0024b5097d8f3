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
const readText = (folder: string) => readFile(join(folder, 'text'), 'utf8')

test('cachedFolder fills a folder once', async () => {
  await cachedFolder(join(cache, 'a'), fillWith('first'))
  expect(await readText(await cachedFolder(join(cache, 'a'), fillWith('second')))).toBe('first')
})

test('two simultaneous calls fill the folder once, both return it complete, and no other file remains', async () => {
  const fills: string[] = []
  const calls = ['first', 'second'].map((text) =>
    cachedFolder(join(cache, 'a'), async (folder) => {
      fills.push(text)
      await fillWith(text)(folder)
    }),
  )
  const [firstFolder = '', secondFolder = ''] = await Promise.all(calls)
  expect(firstFolder).toBe(secondFolder)
  expect(fills).toEqual([await readText(firstFolder)])
  expect(await readdir(cache)).toEqual(['a'])
})

test('the lock of a killed process is ignored', async () => {
  await mkdir(cache)
  const killed = spawnSync(process.execPath, ['--version'])
  await writeFile(join(cache, 'a.lock'), String(killed.pid))
  expect(await readText(await cachedFolder(join(cache, 'a'), fillWith('whole')))).toBe('whole')
  expect(await readdir(cache)).toEqual(['a'])
})

test('an old lock is ignored even if a running process has the same id', async () => {
  await mkdir(cache)
  await writeFile(join(cache, 'a.lock'), String(process.pid))
  await utimes(join(cache, 'a.lock'), new Date(0), new Date(0))
  expect(await readText(await cachedFolder(join(cache, 'a'), fillWith('whole')))).toBe('whole')
})

test('a waiting call fills the folder if the first call fails', async () => {
  const start = Promise.withResolvers<void>()
  const full = Promise.withResolvers<void>()
  const firstCall = cachedFolder(join(cache, 'a'), () => {
    start.resolve()
    return full.promise
  })
  await start.promise
  const secondCall = cachedFolder(join(cache, 'a'), fillWith('whole'))
  full.reject(new Error('no space left'))
  await expect(firstCall).rejects.toThrow('no space left')
  expect(await readText(await secondCall)).toBe('whole')
})

test('a failed call leaves no files, and the next call fills the folder', async () => {
  const firstCall = cachedFolder(join(cache, 'a'), async (folder) => {
    await fillWith('half')(folder)
    throw new Error('no space left')
  })
  await expect(firstCall).rejects.toThrow('no space left')
  expect(await readdir(cache)).toEqual([])
  expect(await readText(await cachedFolder(join(cache, 'a'), fillWith('whole')))).toBe('whole')
})
