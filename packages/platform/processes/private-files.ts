import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Lets only this user read a folder: 0700 for the folders in it, 0600 for files, also for those that an earlier version
 * made with wider modes.
 *
 * @param options.mode of the folder itself
 * @param options.except tells by its name which entry is another account's
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
    const found = lstatSync(path)
    if (except(name) || found.isSymbolicLink()) continue
    if (found.isDirectory()) makePrivate(path)
    else chmodSync(path, 0o600)
  }
}
