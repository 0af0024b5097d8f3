/** Verifies a valid and an invalid proof in a pool of one thread. Prints the answers and the events of the thread. */

import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import { ceremonyKeys } from '../../../lib/proof/keys.ts'
import { startGroth16Pool } from '../../../lib/verification/threads/groth16-pool.ts'
import type { PairingEvent } from '../../../lib/verification/threads/pairing-events.ts'

const { decoded: proof, signals, key } = realProof('hola-mundo')
const events: PairingEvent[] = []
const pool = startGroth16Pool(ceremonyKeys, {
  threads: 1,
  maxQueue: 10,
  crossCheckOneIn: 1_000_000,
  onPairingEvent: (event) => events.push(event),
})
const answers = [
  await pool.verify([key], proof, signals),
  await pool.verify([key], { ...proof, c: proof.a }, signals),
]
await pool.close()
console.info(JSON.stringify({ answers, events }))
