import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canEnter, unprivilegedAccount } from './account.ts'

/** Makes a temporary folder that the account that PostgreSQL runs as can enter, whatever TMPDIR names. */
export function temporaryFolder(prefix: string): string {
  const home = canEnter(tmpdir(), unprivilegedAccount()) ? tmpdir() : '/var/tmp'
  const folder = mkdtempSync(join(home, prefix))
  chmodSync(folder, 0o755)
  return folder
}
