import { hash } from 'node:crypto'
import { existsSync, realpathSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { errorCode } from '../../lib/runtime/error-code.ts'

export type FolderLock = { stop(): Promise<void> }

/**
 * Locks a folder until this process unlocks it or ends. The lock is a socket, which the operating system closes when
 * the process ends. A lock file would outlive a killed process.
 *
 * @returns the lock, or the id of the process that has locked the folder (null if that process does not respond)
 */
export async function lockFolder(
  folder: string,
): Promise<FolderLock | { ownerPid: number | null }> {
  const address = lockAddress(realpathSync(folder))
  const lock = await listenAt(address)
  if (lock) return lock
  const ownerPid = await readOwnerPid(address)
  if (ownerPid !== 'no-listener') return { ownerPid }
  // On systems where sockets are files, a killed process has left this file.
  rmSync(address, { force: true })
  return (await listenAt(address)) ?? { ownerPid: null }
}

/** True if a process has locked the folder. A folder that does not exist is not locked. */
export async function isFolderLocked(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false
  return (await readOwnerPid(lockAddress(realpathSync(folder)))) !== 'no-listener'
}

function lockAddress(folder: string): string {
  const name = `locked-folder-${hash('sha256', folder).slice(0, 32)}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name)
}

/** Listens at an address. Returns null if another process is listening there. */
function listenAt(address: string): Promise<FolderLock | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {}).end(String(process.pid))
    })
    server.once('error', (error) => {
      if ('code' in error && error.code === 'EADDRINUSE') resolve(null)
      else reject(error)
    })
    server.unref().listen(address, () => {
      resolve({ stop: () => new Promise((closed) => server.close(() => closed())) })
    })
  })
}

/** ENOENT: no file of a socket exists, on systems where sockets are files. */
const NO_LISTENER: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOENT'])

/**
 * Asks the process that listens at an address for its id. Returns null if it does not respond within a second, and
 * 'no-listener' if no process is listening.
 */
async function readOwnerPid(address: string): Promise<number | null | 'no-listener'> {
  const socket = connect(address)
  socket.setTimeout(1_000, () => socket.destroy(new Error('no answer')))
  try {
    return Number(await text(socket)) || null
  } catch (error) {
    return NO_LISTENER.has(errorCode(error)) ? 'no-listener' : null
  }
}
