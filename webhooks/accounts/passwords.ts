import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { ApiError } from '../../lib/runtime/errors.ts'
import { createFairQueue } from '../../lib/runtime/limits/fair-queue.ts'
import type { Task } from './passwords-thread.ts'

export type Passwords = {
  /** Returns the argon2id hash of a password in PHC string format. `address` is the caller's address. */
  hash(password: string, address: string): Promise<string>
  /** True if the password has this hash. A null hash (no account) returns false after the same time. */
  verify(hash: string | null, password: string, address: string): Promise<boolean>
  /**
   * Throws if the queue has no room. A login calls this first, so that a rejected login costs no query.
   *
   * @throws unavailable if too many passwords wait, in all or for this address
   */
  requireRoom(address: string): void
  close(): Promise<void>
}

type Options = {
  /** How many hashes are computed at a time. Each takes 19 MiB and a thread. */
  concurrency: number
  /** How many passwords may wait. */
  maxQueue: number
}

/**
 * Creates the low-priority threads that hash and check passwords. Of the waiting addresses, the address with the least
 * recent use of the threads is served next.
 *
 * `hash` and `verify` throw `unavailable` at once if too many passwords wait, and later if a password waits too long. So a
 * flood of logins fills neither the memory nor the processors.
 */
export async function createPasswords({ concurrency, maxQueue }: Options): Promise<Passwords> {
  const pool = new Piscina<Task, string | boolean>({
    filename: fileURLToPath(new URL('./passwords-thread.ts', import.meta.url)),
    name: 'runPasswordTask',
    minThreads: concurrency,
    maxThreads: concurrency,
    // Keeps the order: otherwise a task that finds no free thread goes back to the end of the queue.
    stricterFIFO: true,
  })
  pool.on('error', () => {})
  const queue = createFairQueue({
    places: concurrency,
    placesPerCaller: concurrency,
    placesForHeavy: concurrency,
    maxWaiting: maxQueue,
    maxWaitingPerCaller: Math.ceil(maxQueue * 0.8),
    maxWaitMs: MAX_WAIT_MS,
  })

  function requireRoom(address: string) {
    try {
      queue.requireRoom([address])
    } catch (cause) {
      throw new ApiError('unavailable', { cause })
    }
  }

  async function run({ password, hash, address }: Task & { address: string }) {
    try {
      const leave = await queue.enter([address])
      const task = { password: normalisePassword(password), hash }
      return await pool.run(task).finally(leave)
    } catch (cause) {
      throw new ApiError('unavailable', { cause })
    }
  }
  // The password for an unknown account is compared with this hash, which costs the same work and never matches.
  const decoy = { password: crypto.randomUUID(), hash: null, address: '' }
  const decoyHash = String(await run(decoy))
  return {
    hash: async (password, address) => String(await run({ password, hash: null, address })),
    verify: async (hash, password, address) => {
      const matches = await run({ password, hash: hash ?? decoyHash, address })
      return matches === true && hash !== null
    },
    requireRoom,
    close: () => pool.close({ force: true }),
  }
}

/** How long a password may wait for a thread. */
const MAX_WAIT_MS = 20_000

/** Applies NFKC, since a keyboard may send é as one code point or as two. */
function normalisePassword(password: string): string {
  return password.normalize('NFKC')
}
