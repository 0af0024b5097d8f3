import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes a folder private to this user: mode 0700 for folders, 0600 for files, including files that an earlier version created
 * with wider modes.
 *
 * @param options.mode the mode of the folder itself
 * @param options.except returns true for the name of an entry that belongs to another account
 */
export function makePrivate(
  folder: string,
  {
    mode = 0o700,
    except = () => false,
  }: { mode?: number; except?: (name: string) => boolean } = {},
): void {
  chmodSync(folder, mode)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stats = lstatSync(path)
    if (except(name) || stats.isSymbolicLink()) continue
    if (stats.isDirectory()) makePrivate(path)
    else chmodSync(path, 0o600)
  }
}
