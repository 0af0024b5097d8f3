import { getPriority, setPriority } from 'node:os'
import { type Algorithm, hashSync, verifySync } from '@node-rs/argon2'

/** A password to hash, or to compare with a hash. */
export type Task = { password: string; hash: string | null }

const argon2id: Algorithm.Argon2id = 2

/** OWASP's figures; a stored hash carries its own, so they may be raised at any time. */
const COST = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// On Linux this lowers the priority of this thread alone, so that logins wait for other requests and not the
// other way round. Where the whole service is less urgent still, it stays so.
if (process.platform === 'linux') setPriority(0, Math.max(getPriority(0), 10))

/** Runs one task: the hash, or whether the password matches the one given. */
export function runPasswordTask({ password, hash }: Task): string | boolean {
  return hash === null ? hashSync(password, COST) : verifySync(hash, password)
}
