import { hash } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { errorCode } from '../../lib/runtime/error-code.ts'

export type FolderLock = { stop(): Promise<void> }

/**
 * Locks a folder for this process, until the process unlocks the folder or ends. The lock is a socket, which the operating
 * system closes with its process: a lock file would outlive a process that is killed.
 *
 * @returns the lock, or the id of the process that has it (null if that process does not say)
 */
export async function lockFolder(folder: string): Promise<FolderLock | { takenBy: number | null }> {
  const address = lockAddress(realpathSync(folder))
  const lock = await listenAt(address)
  if (lock) return lock
  const takenBy = await askOwner(address)
  if (takenBy !== 'nobody') return { takenBy }
  // Only where sockets are files: this one was left by a process that was killed.
  rmSync(address, { force: true })
  return (await listenAt(address)) ?? { takenBy: null }
}

function lockAddress(folder: string): string {
  const name = `locked-folder-${hash('sha256', folder).slice(0, 32)}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name)
}

/** Null if somebody listens there. */
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

/** The process that listens there; null if it does not say within a second. */
async function askOwner(address: string): Promise<number | null | 'nobody'> {
  const socket = connect(address)
  socket.setTimeout(1_000, () => socket.destroy(new Error('no answer')))
  try {
    return Number(await text(socket)) || null
  } catch (error) {
    return errorCode(error) === 'ECONNREFUSED' ? 'nobody' : null
  }
}
