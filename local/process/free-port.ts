import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Below the system's range of ephemeral ports. */
const FIRST_PORT = 12_000

/** How many ports a process reserves; listening on the first of them marks the block as taken. */
const BLOCK_SIZE = 100
const BLOCKS = 180

let left: Promise<number[]> | undefined

/** A port that nothing listens on, and that no other caller gets, in any process, while this one lives. */
export async function freePort(): Promise<number> {
  left ??= reserveBlock()
  const block = left
  const port = (await block).shift()
  if (port === undefined) {
    if (left === block) left = undefined
    return freePort()
  }
  return (await isPortFree(port)) ? port : freePort()
}

/**
 * Whether a port of loopback can be listened on. Waits up to two seconds until it can: the programs of a parent that was
 * killed end by themselves, but not at once.
 */
export async function becomesFree(port: number): Promise<boolean> {
  for (const deadline = Date.now() + 2_000; Date.now() < deadline; await sleep(50))
    if (await isPortFree(port)) return true
  return false
}

/** Whether a program could listen on a port, which is one of loopback if `host` is not given. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}

/** Begins at a random block: leftovers of an earlier process may still call the ports that it had. */
async function reserveBlock(): Promise<number[]> {
  const start = Math.floor(Math.random() * BLOCKS)
  for (let i = 0; i < BLOCKS; i++) {
    const first = FIRST_PORT + ((start + i) % BLOCKS) * BLOCK_SIZE
    if (await holdsPort(first))
      return Array.from({ length: BLOCK_SIZE - 1 }, (_, n) => first + 1 + n)
  }
  throw new Error(`In use: all ports from ${FIRST_PORT} to ${FIRST_PORT + BLOCKS * BLOCK_SIZE - 1}`)
}

/** Listens on a port until the process ends, without keeping the process alive. */
function holdsPort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true)).unref()
  })
}
