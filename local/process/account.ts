import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

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

/** Whether an account can enter a folder. The account tries, since more than the mode of a folder may forbid it. */
export function canEnter(folder: string, account: Account): boolean {
  if (account.uid === undefined) return true
  const enter = ['-c', 'cd -- "$1"', 'enter', folder]
  return spawnSync('/bin/sh', enter, { ...account, cwd: '/', stdio: 'ignore' }).status === 0
}

/** The outermost folder above a folder that an account cannot enter, or the folder. */
export function closedFolder(folder: string, account: Account): string {
  return foldersAbove(folder).find((each) => !canEnter(each, account)) ?? folder
}

/** The folder and those above it, the outermost first. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [...foldersAbove(above), folder]
}
