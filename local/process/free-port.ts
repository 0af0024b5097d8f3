import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The first port, below the system's range of ephemeral ports. */
const FIRST_PORT = 12_000

/** The number of ports that a process reserves. The process listens on the first port to mark the block as reserved. */
const BLOCK_SIZE = 100
const BLOCKS = 180

let remainingPorts: Promise<number[]> | undefined

/** Returns a port that is not in use. No other caller in any process gets the port while this process runs. */
export async function freePort(): Promise<number> {
  remainingPorts ??= reserveBlock()
  const block = remainingPorts
  const port = (await block).shift()
  if (port === undefined) {
    if (remainingPorts === block) remainingPorts = undefined
    return freePort()
  }
  return (await isPortFree(port)) ? port : freePort()
}

/**
 * Reports whether a port of loopback is free. Waits up to two seconds, because the programs of a killed parent take a
 * moment to end.
 */
export async function waitUntilFree(port: number): Promise<boolean> {
  for (const deadline = Date.now() + 2_000; Date.now() < deadline; await sleep(50))
    if (await isPortFree(port)) return true
  return false
}

/** Reports whether a program could listen on a port, by default of loopback. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}

/**
 * Reserves a block of ports. Starts at a random block, because orphans of an earlier process may still call its
 * ports.
 */
async function reserveBlock(): Promise<number[]> {
  const start = Math.floor(Math.random() * BLOCKS)
  for (let i = 0; i < BLOCKS; i++) {
    const first = FIRST_PORT + ((start + i) % BLOCKS) * BLOCK_SIZE
    if (await occupyPort(first))
      return Array.from({ length: BLOCK_SIZE - 1 }, (_, n) => first + 1 + n)
  }
  throw new Error(
    `All ports from ${FIRST_PORT} to ${FIRST_PORT + BLOCKS * BLOCK_SIZE - 1} are in use. End other programs that use these ports.`,
  )
}

/** Listens on a port until the process ends, without keeping the process alive. */
function occupyPort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true)).unref()
  })
}
