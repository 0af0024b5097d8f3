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

/** What the lock of a project asks for: a package of npm start, one of the tests, and one that may fail to install. */
const WANTED = {
  '': { version: '1.0.0' },
  'node_modules/needed': { version: '2.0.0' },
  'node_modules/tool': { version: '3.0.0', dev: true },
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

test('npm start installs the packages that it runs, and no package of the tests', () => {
  expect(isInstalledAnew(null)).toBe(true)
  expect(calledNpm()).toEqual(expect.arrayContaining(['install', '--omit=dev']))
})

test('npm start calls npm ci when no package is installed, so that the lock stays as it is', () => {
  rmSync(join(project, 'node_modules'), { recursive: true })
  expect(isInstalledAnew(null)).toBe(true)
  expect(calledNpm()).toEqual(expect.arrayContaining(['ci', '--omit=dev']))
})

describe('the packages of the tests', () => {
  const needed = { version: '2.0.0' }

  test('are installed with --all, where npm start has installed only its own', () => {
    installed({ 'node_modules/needed': needed })
    expect(run('--all')).toBe(0)
    expect(calledNpm()).toContain('install')
    expect(calledNpm()).not.toContain('--omit=dev')
  })

  test('stay, when npm start installs a package that is missing', () => {
    installed({ 'node_modules/tool': { version: '3.0.0', dev: true } })
    expect(run()).toBe(0)
    expect(calledNpm()).not.toContain('--omit=dev')
  })

  test('are brought to the version of the lock by npm start, if they are there', () => {
    installed({
      'node_modules/needed': needed,
      'node_modules/tool': { version: '2.9.0', dev: true },
    })
    expect(run()).toBe(0)
    expect(calledNpm()).toContain('install')
  })
})

describe('for a folder, the script', () => {
  beforeEach(() => {
    mkdirSync(join(project, 'clients'))
    writeFileSync(join(project, 'clients/package-lock.json'), JSON.stringify({ packages: WANTED }))
  })

  test("installs what its lock has, and runs no package's script", () => {
    expect(run('clients')).toBe(0)
    const [command, ...options] = calledNpm()
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

/** The arguments that the script called npm with. */
function calledNpm(): string[] {
  return JSON.parse(readFileSync(join(project, 'called'), 'utf8'))
}

type Installed = Record<string, { version: string; dev?: boolean }>

/** Writes down that these packages are installed. */
function installed(packages: Installed) {
  writeFileSync(join(project, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
}

/** Whether the script calls npm, when these packages are installed; null where none ever were. */
function isInstalledAnew(packages: Installed | null): boolean {
  if (packages) installed(packages)
  expect(run()).toBe(0)
  return existsSync(join(project, 'called'))
}
