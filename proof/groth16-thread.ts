import { workerData } from 'node:worker_threads'
import type { Proof } from './encoding.ts'
import type { VerificationKey } from './keys.ts'
import { prepare, type Signals } from './pairing.ts'

/** What a thread is asked: does one of these keys accept the proof of these signals? */
export type Task = { keyNames: readonly string[]; proof: Proof; signals: Signals }

const keys: ReadonlyMap<string, VerificationKey> = workerData
const verifiers = new Map([...keys].map(([name, key]) => [name, prepare(key)]))

/** Runs on a thread of the pool, where every key was prepared when the thread started. */
export function verify({ keyNames, proof, signals }: Task): boolean {
  return keyNames.some((name) => verifiers.get(name)?.(proof, signals) ?? false)
}
