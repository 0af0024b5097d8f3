import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canEnter, unprivilegedAccount } from './account.ts'

/** Creates a temporary folder that PostgreSQL's account can enter, even if it cannot enter TMPDIR. */
export function temporaryFolder(prefix: string): string {
  const home = canEnter(tmpdir(), unprivilegedAccount()) ? tmpdir() : '/var/tmp'
  const folder = mkdtempSync(join(home, prefix))
  chmodSync(folder, 0o755)
  return folder
}
