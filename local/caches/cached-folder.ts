import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../lib/runtime/error-code.ts'

/**
 * The age after which a lock is ignored, because its process may have ended long ago, and another process may have the
 * same id.
 */
const MAX_LOCK_MS = 60_000

/**
 * Returns a folder. If it does not exist, creates and fills it first.
 *
 * Fills a folder with a temporary name and renames it when it is complete. So after a kill, `folder` is complete or does
 * not exist. A second process waits for the first, and fills the folder if the first fails.
 */
export async function cachedFolder(
  folder: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const lock = `${folder}.lock`
  while (!(await pathExists(folder))) {
    await mkdir(dirname(folder), { recursive: true })
    if (await takeLock(lock)) await fillOnce(folder, fill).finally(() => rm(lock, { force: true }))
    else await sleep(50)
  }
  return folder
}

/** Returns true if this call has got the lock. Otherwise returns false, and removes a lock that is no longer active. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    if (!(await isLockActive(lock))) await rm(lock, { force: true })
    return false
  }
}

async function isLockActive(lock: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)])
    if (Date.now() - mtimeMs > MAX_LOCK_MS) return false
    // The file is empty while its process writes it.
    if (text !== '') process.kill(Number(text), 0)
    return true
  } catch {
    return false
  }
}

async function fillOnce(folder: string, fill: (folder: string) => Promise<void>): Promise<void> {
  // The previous owner of the lock may have filled the folder.
  if (await pathExists(folder)) return
  const draft = await mkdtemp(`${folder}-`)
  try {
    await fill(draft)
    await rename(draft, folder)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await pathExists(folder))) throw error
  }
}

function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
