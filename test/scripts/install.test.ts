import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

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
  for (const file of ['package.json', 'scripts/install.mjs', 'local/process/old-node.mjs'])
    cpSync(file, join(project, file))
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages: WANTED }))
  replaceNpm(0)
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

describe('for a folder, the script', () => {
  beforeEach(() => {
    mkdirSync(join(project, 'clients'))
    writeFileSync(join(project, 'clients/package-lock.json'), JSON.stringify({ packages: WANTED }))
  })

  test("installs what its lock has, and runs no package's script", () => {
    expect(run('clients')).toBe(0)
    const [command, ...options] = JSON.parse(readFileSync(join(project, 'called'), 'utf8'))
    expect(command).toBe('ci')
    expect(options).toEqual(expect.arrayContaining(['--prefix', 'clients', '--ignore-scripts']))
  })

  test('installs nothing that is there', () => {
    mkdirSync(join(project, 'clients/node_modules'))
    cpSync(
      join(project, 'clients/package-lock.json'),
      join(project, 'clients/node_modules/.package-lock.json'),
    )
    expect(run('clients')).toBe(0)
    expect(existsSync(join(project, 'called'))).toBe(false)
  })

  test('fails with npm, unless the folder is optional', () => {
    replaceNpm(1)
    expect(run('clients')).toBe(1)
    expect(run('clients', '--optional')).toBe(0)
  })
})

/** Puts a program in the place of npm: it notes its arguments, and ends with this status. */
function replaceNpm(status: number) {
  writeFileSync(
    join(project, 'npm.js'),
    `process.getBuiltinModule('node:fs').writeFileSync(
      ${JSON.stringify(join(project, 'called'))}, JSON.stringify(process.argv.slice(2)))
    process.exit(${status})`,
  )
}

/** Runs the script, and returns its status. */
function run(...args: string[]): number | null {
  const { status } = spawnSync(process.execPath, ['scripts/install.mjs', ...args], {
    cwd: project,
    env: { PATH: process.env.PATH, npm_execpath: join(project, 'npm.js') },
  })
  return status
}

/** Whether the script calls npm, when these packages are installed; null where none ever were. */
function isInstalledAnew(installed: Record<string, { version: string }> | null): boolean {
  if (installed)
    writeFileSync(
      join(project, 'node_modules/.package-lock.json'),
      JSON.stringify({ packages: installed }),
    )
  expect(run()).toBe(0)
  return existsSync(join(project, 'called'))
}
