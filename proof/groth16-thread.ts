import { workerData } from 'node:worker_threads'
import type { Proof } from './encoding.ts'
import type { VerificationKey } from './keys.ts'
import { compiled, prepare, type Signals } from './pairing.ts'

/** What a thread is asked: does one of these keys accept the proof of these signals? */
export type Task = { keyNames: readonly string[]; proof: Proof; signals: Signals }

const keys: ReadonlyMap<string, VerificationKey> = workerData

/** Resolves, when every key is prepared, to what runs on a thread of the pool. */
export const verify: Promise<(task: Task) => boolean> = compiled.then(() => {
  const verifiers = new Map([...keys].map(([name, key]) => [name, prepare(key)]))
  return ({ keyNames, proof, signals }) =>
    keyNames.some((name) => verifiers.get(name)?.(proof, signals) ?? false)
})
