import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect } from 'vitest'
import { isInstalled, runToEnd } from './programs.ts'

const { PATH = '', HOME = '', GOPATH = '', PYTHONPATH = '' } = process.env

/** The folders in which Go finds packages. The last has the packages of Debian, such as golang-golang-x-crypto-dev. */
const GO_FOLDERS = [...GOPATH.split(delimiter).filter(Boolean), '/usr/share/gocode']

/** The variables with which Go builds a program from installed packages. Go's cache in `.cache` keeps its standard library. */
export const GO_VARIABLES = {
  GOCACHE: resolve('.cache/go'),
  GOPATH: GO_FOLDERS.join(delimiter),
  GOPROXY: 'off',
  GO111MODULE: 'off',
}

/** The languages of docs/calls.md. `hasKeccak` is true if the package for Keccak-256 is installed, too. */
export const LANGUAGES = {
  sh: { isHere: isInstalled('curl'), hasKeccak: true, command: (file: string) => ['sh', file] },
  js: {
    isHere: true,
    hasKeccak: true,
    command: (file: string) => [process.execPath, `${file}.mjs`],
  },
  python: {
    isHere: isInstalled('python3'),
    hasKeccak: isInstalled('python3', '-c', 'import Crypto.Hash.keccak'),
    command: (file: string) => ['python3', file],
  },
  go: {
    isHere: isInstalled('go', 'version'),
    hasKeccak: GO_FOLDERS.some((folder) => existsSync(`${folder}/src/golang.org/x/crypto/sha3`)),
    command: (file: string) => [`${file}/program`],
  },
}
export type Language = keyof typeof LANGUAGES

/** The calls that hash a signal. */
const HASHING_CALLS: readonly string[] = ['signal-hash', 'verify']

/** The variables with which the programs find commands and packages. `folder` is for a file of `findOpenssl`. */
export function variablesOfLanguages(folder: string) {
  return { PATH: [findOpenssl(folder), PATH].filter(Boolean).join(delimiter), HOME, PYTHONPATH }
}

/**
 * Returns null if OpenSSL has Keccak-256, that is from version 3.2. Otherwise writes a program `openssl` with Keccak-256
 * that leaves all other commands to the installed OpenSSL, and returns its folder.
 */
function findOpenssl(folder: string): string | null {
  if (isInstalled('openssl', 'dgst', '-keccak-256', '/dev/null')) return null
  const keccak = `'${process.execPath}' '${resolve('test/support/docs/keccak.ts')}'`
  const program = `#!/bin/sh
if [ "$*" = 'dgst -keccak-256 -r' ]; then exec ${keccak}; fi
PATH='${PATH}' exec openssl "$@"
`
  writeFileSync(join(folder, 'openssl'), program, { mode: 0o755 })
  return folder
}

/** Writes a program `openssl` without Keccak-256 to a folder below `folder`. @returns a PATH that finds this program first */
export function pathWithoutKeccak(folder: string): string {
  const target = join(folder, 'without-keccak')
  mkdirSync(target, { recursive: true })
  const program = `#!/bin/sh
if [ "$2" = -keccak-256 ]; then echo 'dgst: Unrecognized flag keccak-256' >&2; exit 1; fi
PATH='${PATH}' exec openssl "$@"
`
  writeFileSync(join(target, 'openssl'), program, { mode: 0o755 })
  return [target, PATH].join(delimiter)
}

/** Writes each program of the page to a file, and builds those in Go whose packages are installed. */
export async function writePrograms(programs: ReadonlyMap<string, string>, folder: string) {
  for (const [name, program] of programs) {
    const [language, call = ''] = name.split(' ')
    const file = join(folder, `${language}-${call}`)
    if (language === 'go') mkdirSync(file)
    const ending = { js: '.mjs', go: '/main.go' }[language ?? ''] ?? ''
    writeFileSync(file + ending, program)
    const { isHere, hasKeccak } = LANGUAGES.go
    const canBuild = isHere && (hasKeccak || !HASHING_CALLS.includes(call))
    if (language === 'go' && canBuild) await buildProgram(file)
  }
}

/** Compiles a Go program. Without the cache, the standard library takes half a minute to compile. */
async function buildProgram(target: string) {
  const words = ['go', 'build', '-o', join(target, 'program'), join(target, 'main.go')]
  expect(await runToEnd(words, { env: GO_VARIABLES })).toEqual({ code: 0, output: '' })
}
