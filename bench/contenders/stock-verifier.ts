import { groth16, type SnarkjsProof } from 'snarkjs'
import { realProof } from '../../proof/examples/real-proofs.ts'
import key from '../../proof/keys/semaphore-v3-depth-30.json' with { type: 'json' }

/** A process of its own: for as many milliseconds as a message says, it verifies, and reports how often. */
process.on('message', async (milliseconds: number) => {
  const end = performance.now() + milliseconds
  let count = 0
  for (; performance.now() < end; count++) await verifyWithSnarkjs()
  process.send?.(count)
})

const { decoded, signals } = realProof('hola-mundo')
const publicSignals = signals.map(String)
const { a, b, c } = decoded
const proof: SnarkjsProof = {
  pi_a: [`${a[0]}`, `${a[1]}`, '1'],
  pi_b: [
    [`${b[0][0]}`, `${b[0][1]}`],
    [`${b[1][0]}`, `${b[1][1]}`],
    ['1', '0'],
  ],
  pi_c: [`${c[0]}`, `${c[1]}`, '1'],
  protocol: 'groth16',
  curve: 'bn128',
}

async function verifyWithSnarkjs() {
  if (!(await groth16.verify(key, publicSignals, proof)))
    throw new Error('A real proof is refused.')
}

await verifyWithSnarkjs()
process.send?.('ready')
