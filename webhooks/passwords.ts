import { type Algorithm, hash, verify } from '@node-rs/argon2'
import { ApiError } from '../lib/errors.ts'

export type Passwords = {
  /** The argon2id hash of a password, in PHC string format. */
  hash(password: string): Promise<string>
  /** Whether a password has this hash; with null, as slow as if there were one, and false. */
  verify(hash: string | null, password: string): Promise<boolean>
}

type Options = {
  /** Hashes at one time: each takes 19 MiB and one of libuv's four threads. */
  concurrency: number
  /** Those that may wait for their turn. */
  maxQueue: number
}

const argon2id: Algorithm.Argon2id = 2

/** OWASP's figures; a stored hash carries its own, so they may be raised at any time. */
const COST = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashes and checks passwords on libuv's threads, so many at a time.
 *
 * Both functions throw `unavailable` at once when too many wait already: a flood of logins takes
 * neither memory nor the threads that others need.
 */
export async function passwords(options: Options): Promise<Passwords> {
  const takeTurn = turns(options)
  // What an unknown address is compared with: the same work, and no password matches it.
  const nobody = await hash(crypto.randomUUID(), COST)
  return {
    hash: (password) => takeTurn(() => hash(normalise(password), COST)),
    verify: async (known, password) => {
      const matches = await takeTurn(() => verify(known ?? nobody, normalise(password)))
      return matches && known !== null
    },
  }
}

/** One keyboard sends é as one code point, another as two. */
function normalise(password: string): string {
  return password.normalize('NFKC')
}

function turns({ concurrency, maxQueue }: Options) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= maxQueue) throw new ApiError('unavailable')
    if (running >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
