import * as worker from 'node:worker_threads'
import type { VerificationKey } from '../../proof/pairing/verification-key.ts'
import { type CheckedVerifier, createCheckedVerifier } from './checked-verifier.ts'
import type { SharedPairingEngine } from './shared-pairing-engine.ts'

/** The data for the start of a thread. */
export type ThreadData = {
  keys: ReadonlyMap<string, VerificationKey>
  engine: SharedPairingEngine | null
  crossCheckOneIn: number
}

const { workerData: data }: { workerData: ThreadData } = worker

/** The function that the thread runs for each task; resolves when the pairing engine is ready. */
export const verify: Promise<CheckedVerifier> = createCheckedVerifier({
  ...data,
  report: (event) => worker.parentPort?.postMessage(event),
  random: Math.random,
})
