// type-coverage:ignore-next-line (Node declares it as any: the pool sends the keys)
import { workerData } from 'node:worker_threads'
import type { Proof } from './encoding.ts'
import type { VerificationKey } from './pairing.ts'
import { curveCompiled, prepareVerifier, type Signals } from './pairing.ts'

/** The question for a thread: does one of these keys accept the proof for these signals? */
export type VerificationTask = { keyNames: readonly string[]; proof: Proof; signals: Signals }

const keys: ReadonlyMap<string, VerificationKey> = workerData

/** Resolves once every key is prepared, to the function that a thread of the pool runs. */
export const verify: Promise<(task: VerificationTask) => boolean> = curveCompiled.then(() => {
  const verifiers = new Map([...keys].map(([name, key]) => [name, prepareVerifier(key)]))
  return ({ keyNames, proof, signals }) =>
    keyNames.some((name) => verifiers.get(name)?.(proof, signals) ?? false)
})
