import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** The account that runs the commands. Without ids, it is this process's account. */
export type Account = { name: string; uid?: number; gid?: number }

/** Returns the accounts that exist and that this process can run commands as. Prints the others as not tested. */
export function findAccounts(names: readonly string[]): Account[] {
  const currentName = userInfo().username
  const usableNames = names.filter((name) => name === currentName || process.getuid?.() === 0)
  for (const name of names)
    if (!usableNames.includes(name))
      console.info(`Only root can run commands as ${name}: ${name} is not tested.`)
  // If this process is not root and may run as none of the accounts, its own account is tested.
  if (usableNames.length === 0) return [{ name: currentName }]
  return usableNames.flatMap((name) =>
    name === currentName ? { name } : (findAccount(name) ?? []),
  )
}

function findAccount(name: string): Account | null {
  const rows = readFileSync('/etc/passwd', 'utf8').split('\n')
  const row = rows.find((candidate) => candidate.startsWith(`${name}:`))
  if (!row) {
    console.info(`The account ${name} does not exist: ${name} is not tested.`)
    return null
  }
  const [, , uid, gid] = row.split(':')
  return { name, uid: Number(uid), gid: Number(gid) }
}
