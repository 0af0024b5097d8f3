import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The system account that a program runs as; empty for the account of this process. */
export type Account = { uid?: number; gid?: number }

/**
 * Returns the account for PostgreSQL, which refuses to run as root: `postgres` or `nobody` if this process runs as
 * root.
 */
export function unprivilegedAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  const rows = readFileSync('/etc/passwd', 'utf8').split('\n')
  const row = ['postgres:', 'nobody:']
    .map((name) => rows.find((r) => r.startsWith(name)))
    .find(Boolean)
  if (!row)
    throw new Error(
      'PostgreSQL cannot run as root, and there is no account "nobody". Start as another user.',
    )
  const [, , uid, gid] = row.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Reports whether an account can enter a folder. Runs a shell as the account, because a parent folder or an access control
 * list may also forbid this.
 */
export function canEnter(folder: string, account: Account): boolean {
  if (account.uid === undefined) return true
  const enter = ['-c', 'cd -- "$1"', 'enter', folder]
  return spawnSync('/bin/sh', enter, { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}

/** Returns the outermost parent folder that an account cannot enter, or the folder itself. */
export function closedFolder(folder: string, account: Account): string {
  return foldersAbove(folder).find((each) => !canEnter(each, account)) ?? folder
}

/** Returns the folder and its parent folders, the outermost first. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [...foldersAbove(above), folder]
}
