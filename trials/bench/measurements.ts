import { measureBillionPeople } from './measurements/billion-people.ts'
import { measureDatabaseCapacity } from './measurements/database-capacity.ts'
import { measureDeveloperApi } from './measurements/developer-api.ts'
import { measureEngineMemory } from './measurements/engine-memory.ts'
import { measureEngineSpeed } from './measurements/engine-speed.ts'
import { measureEngineStart } from './measurements/engine-start.ts'
import { measureLiveQueries } from './measurements/live-queries.ts'
import { measureNeighbours } from './measurements/neighbours.ts'
import { measureNullifierScale } from './measurements/nullifier-scale.ts'
import { measurePackedEngine } from './measurements/packed-engine.ts'
import { measurePairingEngine } from './measurements/pairing-engine.ts'
import { measurePayments } from './measurements/payments.ts'
import { measurePlatformStart } from './measurements/platform-start.ts'
import { measureSignInMemory } from './measurements/sign-in-memory.ts'
import { measureSignInSpeed } from './measurements/sign-in-speed.ts'
import { measureVerificationPool } from './measurements/verification-pool.ts'
import { measureVerificationProcesses } from './measurements/verification-processes.ts'
import { measureVerifyEndToEnd } from './measurements/verify-end-to-end.ts'
import type { Figure } from './report/figure.ts'

export type Measurement = {
  /** What it measures, and beside what baseline. */
  about: string
  /** @param large with what takes longer than a few minutes */
  measure(large: boolean): Promise<Figure[]>
}

/** Every measurement, by its name for `npm run bench`. */
export const measurements: Readonly<Record<string, Measurement>> = {
  ready: {
    about: 'npm start: in a new clone, and again',
    measure: measurePlatformStart,
  },
  pool: {
    about: 'Groth16 on all cores, beside as many processes of snarkjs; one check, beside mcl-wasm',
    measure: async () => [...(await measureVerificationPool()), ...(await measurePairingEngine())],
  },
  verify: {
    about: 'POST /api/v2/verify by distinct people, beside the pool alone',
    measure: measureVerifyEndToEnd,
  },
  processes: {
    about: 'how verifying grows with processes, and what each part costs',
    measure: measureVerificationProcesses,
  },
  capacity: {
    about: 'what PostgreSQL can count a second, and the bytes of each person',
    measure: measureDatabaseCapacity,
  },
  billion: {
    about: 'people counted beside a million others (--large: a hundred million), past the memory',
    measure: measureBillionPeople,
  },
  api: {
    about: 'precheck and keys, beside bare Express; a flood of logins',
    measure: measureDeveloperApi,
  },
  'sign-in': {
    about: 'the sign-in server, beside the bare library with its storage in memory',
    measure: measureSignInSpeed,
  },
  soak: {
    about: "the sign-in server's memory over 30,000 flows (with --large 100,000)",
    measure: measureSignInMemory,
  },
  payments: {
    about: 'statuses and prices, beside bare routes; ten thousand pending payments',
    measure: measurePayments,
  },
  engine: {
    about: 'the embedded engine, beside hand-written SQL and PostGraphile',
    measure: measureEngineSpeed,
  },
  start: {
    about: "the engine's start and its idle memory",
    measure: measureEngineStart,
  },
  package: {
    about: 'the engine as npm has it, beside its sources: start, memory, requests',
    measure: measurePackedEngine,
  },
  growth: {
    about: "the engine's memory over 200,000 requests",
    measure: measureEngineMemory,
  },
  live: {
    about: 'two thousand live queries, each refreshed every second',
    measure: measureLiveQueries,
  },
  neighbours: {
    about: 'a quiet team beside an honest neighbour, and beside attackers',
    measure: measureNeighbours,
  },
  scale: {
    about: 'a million nullifiers (with --large ten), beside ten thousand',
    measure: measureNullifierScale,
  },
}
