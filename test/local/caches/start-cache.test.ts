import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findStaticImports, runOnOldNode } from '../../support/old-node.ts'

// Every run uses the same path, because each path leaves an entry in the cache.
const FOLDER = '.cache/start-cache-test'

async function run(text: string) {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(`${FOLDER}/entry.ts`, text)
  const args = ['--import', './local/caches/start-cache.mjs', `${FOLDER}/entry.ts`]
  return promisify(execFile)(process.execPath, args)
}

test('a changed file runs with its new content instead of the cached content', async () => {
  for (const n of [1, 1, 2]) {
    const { stdout, stderr } = await run(`const n: number = ${n}\nconsole.info(n)`)
    expect({ stdout, stderr }).toEqual({ stdout: `${n}\n`, stderr: '' })
  }
})

test('an error is reported with its line in the source', async () => {
  const text = `type Name = string\n\nconst name: Name = ''\nthrow new Error(name)`
  for (const _again of [1, 2]) await expect(run(text)).rejects.toThrow(/entry\.ts:4/)
})

test('on an old Node the program names the required version before it reads other files', () => {
  const program = [
    'packages/platform/command.ts',
    '--import',
    './local/caches/start-cache.mjs',
  ] as const
  expect(runOnOldNode(...program)).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^\S+ needs Node 22\.21 or newer; this is Node 20\.20\.2 /),
  })
  for (const path of findStaticImports('local/caches/start-cache.mjs'))
    expect(path).toBe('local/process/old-node.mjs')
})
