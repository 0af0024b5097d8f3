import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { ApiError } from '../../lib/runtime/errors.ts'
import { createFairQueue } from '../../lib/runtime/limits/fair-queue.ts'
import type { Task } from './passwords-thread.ts'

export type Passwords = {
  /** The argon2id hash of a password, in PHC string format; `address` is that of the caller. */
  hash(password: string, address: string): Promise<string>
  /** Whether a password has this hash; null means no account, and takes as long to say no. */
  verify(hash: string | null, password: string, address: string): Promise<boolean>
  /**
   * Fails early, for callers that look something up before they hash.
   *
   * @throws unavailable when too many wait already, or too many of this address
   */
  requireRoom(address: string): void
  /** Ends the threads. */
  close(): Promise<void>
}

type Options = {
  /** Hashes computed at a time: each takes 19 MiB and a thread. */
  concurrency: number
  /** How many may wait for their turn. */
  maxQueue: number
}

/**
 * Hashes and checks passwords on threads of their own, of low priority; of those who wait, the address that has used
 * the threads least is next.
 *
 * `hash` and `verify` throw `unavailable` at once when too many wait already, so that a flood of logins costs
 * neither memory nor other callers' time.
 */
export async function createPasswords({ concurrency, maxQueue }: Options): Promise<Passwords> {
  const pool = new Piscina<Task, string | boolean>({
    filename: fileURLToPath(new URL('./passwords-thread.ts', import.meta.url)),
    name: 'runPasswordTask',
    minThreads: concurrency,
    maxThreads: concurrency,
    // Without it a task that finds no free thread goes back to the end of the queue.
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
  // A password for an unknown account is compared with this: it costs the same work, and nothing matches.
  const decoy = { password: crypto.randomUUID(), hash: null, address: '' }
  const decoyHash = String(await run(decoy))
  return {
    hash: async (password, address) => String(await run({ password, hash: null, address })),
    verify: async (known, password, address) => {
      const matches = await run({ password, hash: known ?? decoyHash, address })
      return matches === true && known !== null
    },
    requireRoom,
    close: () => pool.close({ force: true }),
  }
}

/** Longer than it takes to check as many passwords as may wait. */
const MAX_WAIT_MS = 20_000

/** NFKC, since some keyboards send é as one code point and others as two. */
function normalisePassword(password: string): string {
  return password.normalize('NFKC')
}
