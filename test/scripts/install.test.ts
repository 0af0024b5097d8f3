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

/** The packages of a lock: a package for npm start, a package for the tests, and an optional package. */
const LOCKED_PACKAGES = {
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
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages: LOCKED_PACKAGES }))
  replaceNpm(0)
})
afterEach(() => rmSync(project, { recursive: true }))

test('npm start does not retry an optional package that could not be installed', () => {
  expect(callsNpm({ 'node_modules/needed': { version: '2.0.0' } })).toBe(false)
})

test.each([
  ['is missing', {}],
  ['has another version', { 'node_modules/needed': { version: '1.9.0' } }],
])('npm start installs a package that %s', (_case, packages) => {
  expect(callsNpm(packages)).toBe(true)
})

test('npm start installs the packages that it needs, and no package of the tests', () => {
  expect(callsNpm(null)).toBe(true)
  expect(npmArguments()).toEqual(expect.arrayContaining(['install', '--omit=dev']))
})

test('npm start calls npm ci when no package is installed, so that the lock stays as it is', () => {
  rmSync(join(project, 'node_modules'), { recursive: true })
  expect(callsNpm(null)).toBe(true)
  expect(npmArguments()).toEqual(expect.arrayContaining(['ci', '--omit=dev']))
})

describe('install.mjs installs and keeps the packages of the tests', () => {
  const needed = { version: '2.0.0' }

  test('--all installs the packages of the tests after npm start has omitted them', () => {
    markInstalled({ 'node_modules/needed': needed })
    expect(run('--all')).toBe(0)
    expect(npmArguments()).toContain('install')
    expect(npmArguments()).not.toContain('--omit=dev')
  })

  test('npm start keeps the packages of the tests when it installs a missing package', () => {
    markInstalled({ 'node_modules/tool': { version: '3.0.0', dev: true } })
    expect(run()).toBe(0)
    expect(npmArguments()).not.toContain('--omit=dev')
  })

  test('npm start updates installed packages of the tests to the version in the lock', () => {
    markInstalled({
      'node_modules/needed': needed,
      'node_modules/tool': { version: '2.9.0', dev: true },
    })
    expect(run()).toBe(0)
    expect(npmArguments()).toContain('install')
  })
})

describe('install.mjs FOLDER installs the packages of a folder', () => {
  beforeEach(() => {
    mkdirSync(join(project, 'clients'))
    writeFileSync(
      join(project, 'clients/package-lock.json'),
      JSON.stringify({ packages: LOCKED_PACKAGES }),
    )
  })

  test('install.mjs FOLDER installs the packages in its lock without running their scripts', () => {
    expect(run('clients')).toBe(0)
    const [command, ...options] = npmArguments()
    expect(command).toBe('ci')
    expect(options).toEqual(expect.arrayContaining(['--prefix', 'clients', '--ignore-scripts']))
  })

  test('install.mjs FOLDER does not call npm if the packages are installed', () => {
    mkdirSync(join(project, 'clients/node_modules'))
    cpSync(
      join(project, 'clients/package-lock.json'),
      join(project, 'clients/node_modules/.package-lock.json'),
    )
    expect(run('clients')).toBe(0)
    expect(existsSync(join(project, 'called'))).toBe(false)
  })

  test('install.mjs FOLDER fails if npm fails, except with --optional', () => {
    replaceNpm(1)
    expect(run('clients')).toBe(1)
    expect(run('clients', '--optional')).toBe(0)
  })
})

/** Replaces npm with a program that writes its arguments to the file `called` and exits with this status. */
function replaceNpm(status: number) {
  writeFileSync(
    join(project, 'npm.js'),
    `process.getBuiltinModule('node:fs').writeFileSync(
      ${JSON.stringify(join(project, 'called'))}, JSON.stringify(process.argv.slice(2)))
    process.exit(${status})`,
  )
}

/** Runs the script; returns its exit status. */
function run(...args: string[]): number | null {
  const { status } = spawnSync(process.execPath, ['scripts/install.mjs', ...args], {
    cwd: project,
    env: { PATH: process.env.PATH, npm_execpath: join(project, 'npm.js') },
  })
  return status
}

/** Returns the arguments with which the script called npm. */
function npmArguments(): string[] {
  return JSON.parse(readFileSync(join(project, 'called'), 'utf8'))
}

type Packages = Record<string, { version: string; dev?: boolean }>

/** Writes npm's list of installed packages. */
function markInstalled(packages: Packages) {
  writeFileSync(join(project, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
}

/** True if the script calls npm when these packages are installed; null means that npm has never installed any. */
function callsNpm(packages: Packages | null): boolean {
  if (packages) markInstalled(packages)
  expect(run()).toBe(0)
  return existsSync(join(project, 'called'))
}
