import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
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
  const failing = cachedFolder(join(cache, 'a'), () => Promise.reject(new Error('no space left')))
  const waiting = cachedFolder(join(cache, 'a'), fillWith('whole'))
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
