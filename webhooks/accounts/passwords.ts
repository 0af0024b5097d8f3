import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { ApiError } from '../../lib/errors.ts'
import type { Task } from './passwords-thread.ts'

export type Passwords = {
  /** The argon2id hash of a password, in PHC string format. */
  hash(password: string): Promise<string>
  /** Whether a password has this hash; null means no account, and takes as long to say no. */
  verify(hash: string | null, password: string): Promise<boolean>
  /**
   * Fails early, for callers that look something up before they hash.
   *
   * @throws unavailable when too many wait already
   */
  requireRoom(): void
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
 * Hashes and checks passwords on threads of their own, of low priority.
 *
 * `hash` and `verify` throw `unavailable` at once when too many wait already, so that a flood of logins costs
 * neither memory nor other callers' time.
 */
export async function passwords({ concurrency, maxQueue }: Options): Promise<Passwords> {
  const pool = new Piscina<Task, string | boolean>({
    filename: fileURLToPath(new URL('./passwords-thread.ts', import.meta.url)),
    name: 'runPasswordTask',
    minThreads: concurrency,
    maxThreads: concurrency,
    // Without it a task that finds no free thread goes back to the end of the queue.
    stricterFIFO: true,
  })
  pool.on('error', () => {})

  function requireRoom() {
    if (pool.queueSize >= maxQueue) throw new ApiError('unavailable')
  }

  async function run(password: string, hash: string | null): Promise<string | boolean> {
    requireRoom()
    return pool.run({ password: normalisePassword(password), hash }).catch((cause: unknown) => {
      throw new ApiError('unavailable', { cause })
    })
  }
  // A password for an unknown account is compared with this: it costs the same work, and nothing matches.
  const decoyHash = String(await run(crypto.randomUUID(), null))
  return {
    hash: async (password) => String(await run(password, null)),
    verify: async (known, password) => {
      const matches = await run(password, known ?? decoyHash)
      return matches === true && known !== null
    },
    requireRoom,
    close: () => pool.close({ force: true }),
  }
}

/** NFKC, since some keyboards send é as one code point and others as two. */
function normalisePassword(password: string): string {
  return password.normalize('NFKC')
}
