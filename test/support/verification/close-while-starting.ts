/** Closes pools at 24 moments of the start of their threads. Exits with 0 if no pool crashes the process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ceremonyKeys } from '../../../lib/proof/keys.ts'
import { startGroth16Pool } from '../../../lib/verification/threads/groth16-pool.ts'

const STAGES = 24
const start = () => startGroth16Pool(ceremonyKeys, { threads: 2, maxQueue: 1 })

const began = performance.now()
const first = start()
await first.warmUp()
const startMs = performance.now() - began
await first.close()

for (let stage = 0; stage < STAGES; stage++) {
  const pool = start()
  await sleep((startMs * stage) / STAGES)
  await pool.close()
}
