import * as worker from 'node:worker_threads'
import type { Proof } from './encoding.ts'
import { curveCompiled, prepareMclVerifier } from './pairing/mcl-verifier.ts'
import type { Signals, VerificationKey } from './pairing/verification-key.ts'

/** What a thread checks: whether one of these keys accepts the proof for these signals. */
export type VerificationTask = { keyNames: readonly string[]; proof: Proof; signals: Signals }

const { workerData: keys }: { workerData: ReadonlyMap<string, VerificationKey> } = worker

/** Resolves once every key is prepared, to the function that a thread runs for each task. */
export const verify: Promise<(task: VerificationTask) => boolean> = curveCompiled.then(() => {
  const verifiers = new Map([...keys].map(([name, key]) => [name, prepareMclVerifier(key)]))
  return ({ keyNames, proof, signals }) =>
    keyNames.some((name) => verifiers.get(name)?.(proof, signals) ?? false)
})
