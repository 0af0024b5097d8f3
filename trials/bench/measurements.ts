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
import { measureProtocol4 } from './measurements/protocol-4.ts'
import { measureSignInMemory } from './measurements/sign-in-memory.ts'
import { measureSignInSpeed } from './measurements/sign-in-speed.ts'
import { measureVerificationPool } from './measurements/verification-pool.ts'
import { measureVerificationProcesses } from './measurements/verification-processes.ts'
import { measureVerifyEndToEnd } from './measurements/verify-end-to-end.ts'
import type { Figure } from './report/figure.ts'

export type Measurement = {
  /** The measured quantities and their baseline, to complete the sentence "Measures …". */
  about: string
  /** @param large includes the parts that take longer than a few minutes */
  measure(large: boolean): Promise<Figure[]>
}

/** Every measurement, by its name in `npm run bench`. */
export const measurements: Readonly<Record<string, Measurement>> = {
  ready: {
    about: 'npm start: in a new clone, and again',
    measure: measurePlatformStart,
  },
  pool: {
    about:
      'Groth16 on all cores, compared with one snarkjs process per core; one proof, compared with mcl-wasm',
    measure: async () => [...(await measureVerificationPool()), ...(await measurePairingEngine())],
  },
  verify: {
    about:
      'POST /api/v2/verify by distinct people, compared with the pool of threads alone; proofs of protocol 4.0',
    measure: async () => [...(await measureVerifyEndToEnd()), ...(await measureProtocol4())],
  },
  processes: {
    about: 'how verifications grow with processes, and the cost of each part',
    measure: measureVerificationProcesses,
  },
  capacity: {
    about: 'how many people PostgreSQL counts a second, and the bytes of each person',
    measure: measureDatabaseCapacity,
  },
  billion: {
    about:
      'counting in a table of a million people (--large: a hundred million) that exceeds the memory',
    measure: measureBillionPeople,
  },
  api: {
    about: 'precheck and keys, compared with bare Express; a flood of logins',
    measure: measureDeveloperApi,
  },
  'sign-in': {
    about: 'the sign-in server, compared with bare oidc-provider, which stores in memory',
    measure: measureSignInSpeed,
  },
  soak: {
    about: "the sign-in server's memory over 30,000 flows (with --large 100,000)",
    measure: measureSignInMemory,
  },
  payments: {
    about: 'statuses and prices, compared with bare routes; ten thousand pending payments',
    measure: measurePayments,
  },
  engine: {
    about: 'the embedded engine, compared with hand-written SQL and PostGraphile',
    measure: measureEngineSpeed,
  },
  start: {
    about: "the engine's start and its idle memory",
    measure: measureEngineStart,
  },
  package: {
    about: 'the packed engine, compared with its sources: start, memory, requests',
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
    about: 'a small team next to a busy neighbour, and next to attackers',
    measure: measureNeighbours,
  },
  scale: {
    about: 'a million nullifiers (with --large ten million), compared with ten thousand',
    measure: measureNullifierScale,
  },
}
