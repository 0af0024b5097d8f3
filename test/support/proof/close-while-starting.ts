/** Closes pools at every stage of the start of their threads; exits with 0 if none crashes the process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { groth16 } from '../../../proof/groth16.ts'
import { ceremonyKeys } from '../../../proof/keys.ts'

const STAGES = 24
const start = () => groth16(ceremonyKeys, { threads: 2, maxQueue: 1 })

const began = performance.now()
const first = start()
await first.warm()
const startMs = performance.now() - began
await first.close()

for (let stage = 0; stage < STAGES; stage++) {
  const pool = start()
  await sleep((startMs * stage) / STAGES)
  await pool.close()
}
