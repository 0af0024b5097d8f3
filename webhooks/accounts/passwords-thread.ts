import { getPriority, setPriority } from 'node:os'
import { type Algorithm, hashSync, verifySync } from '@node-rs/argon2'

/** A password to hash, if `hash` is null, or to compare with `hash`. */
export type Task = { password: string; hash: string | null }

const argon2id: Algorithm.Argon2id = 2

/** The parameters that OWASP recommends. A stored hash contains its parameters, so these may be raised at any time. */
const COST = { algorithm: argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

// On Linux this lowers the priority of this thread only, so that password hashing does not slow down other requests. It
// never raises the priority of a service that has a lower one.
if (process.platform === 'linux') setPriority(0, Math.max(getPriority(0), 10))

/** Returns the hash of the password, or whether the password matches the hash. */
export function runPasswordTask({ password, hash }: Task): string | boolean {
  return hash === null ? hashSync(password, COST) : verifySync(hash, password)
}
