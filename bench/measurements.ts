import { capacity } from './measurements/database-capacity.ts'
import { apiSpeed } from './measurements/developer-api.ts'
import { engineGrowth } from './measurements/engine-memory.ts'
import { engineSpeed } from './measurements/engine-speed.ts'
import { engineStart } from './measurements/engine-start.ts'
import { liveQueries } from './measurements/live-queries.ts'
import { scale } from './measurements/nullifier-scale.ts'
import { payments } from './measurements/payments.ts'
import { ready } from './measurements/platform-start.ts'
import { soak } from './measurements/sign-in-memory.ts'
import { signIn } from './measurements/sign-in-speed.ts'
import { verificationPool } from './measurements/verification-pool.ts'
import { processes } from './measurements/verification-processes.ts'
import { verifyEndToEnd } from './measurements/verify-end-to-end.ts'
import type { Row } from './report/figure.ts'

export type Measurement = {
  /** What it measures, and beside what baseline. */
  about: string
  /** @param large with what takes longer than a few minutes */
  measure(large: boolean): Promise<Row[]>
}

/** Every measurement, by its name for `npm run bench`. */
export const measurements: Readonly<Record<string, Measurement>> = {
  ready: {
    about: 'npm start: in a new clone, and again',
    measure: ready,
  },
  pool: {
    about: 'Groth16 on all cores, beside as many processes of snarkjs',
    measure: verificationPool,
  },
  verify: {
    about: 'POST /api/v2/verify by distinct people, beside the pool alone',
    measure: verifyEndToEnd,
  },
  processes: {
    about: 'how verifying grows with processes, and what each part costs',
    measure: processes,
  },
  capacity: {
    about: 'what PostgreSQL can count a second, and the bytes of each person',
    measure: capacity,
  },
  api: {
    about: 'precheck and keys, beside bare Express; a flood of logins',
    measure: apiSpeed,
  },
  'sign-in': {
    about: 'the sign-in server, beside the bare library with its storage in memory',
    measure: signIn,
  },
  soak: {
    about: "the sign-in server's memory over 30,000 flows (with --large 100,000)",
    measure: soak,
  },
  payments: {
    about: 'statuses and prices, beside bare routes; ten thousand pending payments',
    measure: payments,
  },
  engine: {
    about: 'the embedded engine, beside hand-written SQL and PostGraphile',
    measure: engineSpeed,
  },
  start: {
    about: "the engine's start and its idle memory",
    measure: engineStart,
  },
  growth: {
    about: "the engine's memory over 200,000 requests",
    measure: engineGrowth,
  },
  live: {
    about: 'two thousand live queries, each refreshed every second',
    measure: liveQueries,
  },
  scale: {
    about: 'a million nullifiers (with --large ten), beside ten thousand',
    measure: scale,
  },
}
