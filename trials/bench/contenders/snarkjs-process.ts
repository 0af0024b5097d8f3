import { groth16 } from 'snarkjs'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import key from '../../../lib/proof/keys/semaphore-v3-depth-30.json' with { type: 'json' }
import { proofForSnarkjs } from '../../../local/simulator/snarkjs-proof.ts'

/** Runs as a child process. A message is a time in ms. The process verifies for this time, and sends the number of verifications. */
process.on('message', async (milliseconds: number) => {
  const end = performance.now() + milliseconds
  let count = 0
  for (; performance.now() < end; count++) await verifyWithSnarkjs()
  process.send?.(count)
})

const { decoded, signals } = realProof('hola-mundo')
const publicSignals = signals.map(String)
const proof = proofForSnarkjs(decoded)

async function verifyWithSnarkjs() {
  if (!(await groth16.verify(key, publicSignals, proof)))
    throw new Error('snarkjs rejected a real proof.')
}

await verifyWithSnarkjs()
process.send?.('ready')
