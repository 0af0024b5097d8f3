import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../../lib/runtime/error-code.ts'

/** How long a lock is believed: its process may have ended long ago, and its id may be another process's by now. */
const MAX_LOCK_MS = 60_000

/**
 * A folder that is filled once and never again.
 *
 * It is filled under another name and renamed when complete, so a process that is killed leaves nothing
 * half made. Of two processes that would fill it at once, the second waits for what the first makes.
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

/** Whether nobody else fills the folder at the moment. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    if (!(await isHeld(lock))) await rm(lock, { force: true })
    return false
  }
}

async function isHeld(lock: string): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)])
    if (Date.now() - mtimeMs > MAX_LOCK_MS) return false
    // Empty while it is being written.
    if (text !== '') process.kill(Number(text), 0)
    return true
  } catch {
    return false
  }
}

async function fillOnce(folder: string, fill: (folder: string) => Promise<void>): Promise<void> {
  // Whoever had the lock before may have filled it.
  if (await pathExists(folder)) return
  const unfinished = await mkdtemp(`${folder}-`)
  try {
    await fill(unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (!(await pathExists(folder))) throw error
  }
}

function pathExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
