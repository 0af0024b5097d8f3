import { setPriority } from 'node:os'
import { type Algorithm, hashSync, verifySync } from '@node-rs/argon2'

/** What a thread of `passwords` is given: to hash, or to compare with a hash. */
export type Task = { password: string; hash: string | null }

const argon2id: Algorithm.Argon2id = 2

/** OWASP's figures; a stored hash carries its own, so they may be raised at any time. */
const COST = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// On Linux this is the thread's own: who wants to log in waits for whoever else is served, not
// the other way round.
if (process.platform === 'linux') setPriority(0, 10)

/** Runs one task: a text when it was to hash, else whether the password is that of the hash. */
export function run({ password, hash }: Task): string | boolean {
  return hash === null ? hashSync(password, COST) : verifySync(hash, password)
}
