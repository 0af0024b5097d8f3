import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findDataFolder, recordDataFolder } from '../../../local/process/data-folders.ts'
import { lockFolder } from '../../../local/process/lock-folder.ts'

let folder: string
let records: string
const locks: { stop(): Promise<void> }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'data-folders-'))
  records = join(folder, 'records')
})
afterEach(async () => {
  await Promise.all(locks.splice(0).map((lock) => lock.stop()))
  rmSync(folder, { recursive: true, force: true })
})

/** Creates and records a folder, in which a platform runs. */
async function startIn(name: string): Promise<string> {
  const data = join(folder, name)
  mkdirSync(data)
  recordDataFolder(data, records)
  const lock = await lockFolder(data)
  if ('ownerPid' in lock) throw new Error('already locked')
  locks.push(lock)
  return data
}

test('a command uses the folder that the user has chosen', async () => {
  await startIn('first')
  expect(await findDataFolder('chosen', records)).toBe('chosen')
})

test('a command finds the folder of the only running platform', async () => {
  const data = await startIn('first')
  const stopped = await startIn('stopped')
  await locks.pop()?.stop()
  expect(await findDataFolder(undefined, records)).toBe(data)
  expect(stopped).not.toBe(data)
})

test('a command uses .data if no platform runs', async () => {
  expect(await findDataFolder(undefined, records)).toBe('.data')
})

test('a command lists the folders if several platforms run', async () => {
  const folders = [await startIn('first'), await startIn('second')]
  const error = await findDataFolder(undefined, records).catch(String)
  for (const data of folders) expect(error).toContain(`--data ${data}`)
})

test('the record of a removed folder is removed', async () => {
  const data = await startIn('first')
  rmSync(data, { recursive: true })
  expect(await findDataFolder(undefined, records)).toBe('.data')
  expect(readdirSync(records)).toEqual([])
})
