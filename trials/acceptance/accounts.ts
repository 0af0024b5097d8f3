import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** Who runs the commands; without ids, who runs this process. */
export type Account = { name: string; uid?: number; gid?: number }

/** Those of the accounts that this process may run as; of the others it is said that they are not tested. */
export function findAccounts(names: readonly string[]): Account[] {
  const own = userInfo().username
  const found = names.filter((name) => name === own || process.getuid?.() === 0)
  for (const name of names)
    if (!found.includes(name))
      console.info(`Only root can run commands as ${name}: not tested as that.`)
  // Whoever is neither of them is a user, too.
  if (found.length === 0) return [{ name: own }]
  return found.flatMap((name) => (name === own ? { name } : (findAccount(name) ?? [])))
}

function findAccount(name: string): Account | null {
  const rows = readFileSync('/etc/passwd', 'utf8').split('\n')
  const row = rows.find((each) => each.startsWith(`${name}:`))
  if (!row) {
    console.info(`There is no account ${name}: not tested as that.`)
    return null
  }
  const [, , uid, gid] = row.split(':')
  return { name, uid: Number(uid), gid: Number(gid) }
}
