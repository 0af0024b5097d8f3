import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * A folder that is filled once and never again.
 *
 * It is filled under another name and renamed when complete, so a process that is killed leaves nothing
 * half made; of two processes that fill it at once, the second uses what the first made.
 */
export async function cachedFolder(
  folder: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  if (await pathExists(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    await fill(unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!(await pathExists(folder))) throw error
  }
  return folder
}

function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
