import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

/** What the lock of a project asks for: one package that must be there, and one that may fail to install. */
const WANTED = {
  '': { version: '1.0.0' },
  'node_modules/needed': { version: '2.0.0' },
  'node_modules/hasura-cli': { version: '2.36.1', optional: true },
}

let project: string

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'install-'))
  mkdirSync(join(project, 'node_modules'))
  for (const file of ['package.json', 'scripts/install.mjs', 'lib/process/old-node.mjs'])
    cpSync(file, join(project, file))
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages: WANTED }))
  // In place of npm: it notes that it was called.
  writeFileSync(
    join(project, 'npm.js'),
    `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(join(project, 'called'))}, '')`,
  )
})
afterEach(() => rmSync(project, { recursive: true }))

test('an optional package that could not be installed is not tried again at every start', () => {
  expect(isInstalledAnew({ 'node_modules/needed': { version: '2.0.0' } })).toBe(false)
})

test.each([
  ['is missing', {}],
  ['has another version', { 'node_modules/needed': { version: '1.9.0' } }],
])('a package that %s is installed', (_case, installed) => {
  expect(isInstalledAnew(installed)).toBe(true)
})

test('in a new clone everything is installed', () => {
  expect(isInstalledAnew(null)).toBe(true)
})

/** Whether the script calls npm, when these packages are installed; null where none ever were. */
function isInstalledAnew(installed: Record<string, { version: string }> | null): boolean {
  if (installed)
    writeFileSync(
      join(project, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: installed }),
    )
  const { status } = spawnSync(process.execPath, [join(project, 'scripts/install.mjs')], {
    env: { PATH: process.env.PATH, npm_execpath: join(project, 'npm.js') },
  })
  expect(status).toBe(0)
  return existsSync(join(project, 'called'))
}
