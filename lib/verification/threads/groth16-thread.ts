import * as worker from 'node:worker_threads'
import type { VerificationKey } from '../../proof/pairing/verification-key.ts'
import { type CheckedVerifier, createCheckedVerifier } from './checked-verifier.ts'
import type { SharedPairingEngine } from './shared-pairing-engine.ts'

/** The data that a thread starts with. */
export type ThreadData = {
  keys: ReadonlyMap<string, VerificationKey>
  engine: SharedPairingEngine | null
  crossCheckOneIn: number
}

const { workerData: data }: { workerData: ThreadData } = worker

/** Resolves once the thread's pairing engine is ready, to the function that the thread runs for each task. */
export const verify: Promise<CheckedVerifier> = createCheckedVerifier({
  ...data,
  tell: (event) => worker.parentPort?.postMessage(event),
  random: Math.random,
})
