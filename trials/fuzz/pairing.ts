import { parseArgs } from 'node:util'
import { compareVerifiers } from './pairing/compare-verifiers.ts'

/**
 * `npm run test:pairing [-- --proofs 100000 --seed 1]`: compares the pairing engine and mcl-wasm on the same proofs. snarkjs verifies
 * one proof in fifty, too.
 */
const { values: options } = parseArgs({
  options: {
    proofs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (options.help) {
  console.info('Usage: npm run test:pairing [-- --proofs 100000 --seed 1]')
  process.exit()
}

const count = Number(options.proofs)
console.info(`Seed ${options.seed}; repeat these proofs with --seed ${options.seed}`)
const { accepted, rejected, snarkjsCount, disagreements } = await compareVerifiers({
  count,
  seed: options.seed,
  snarkjsOneIn: 50,
  onProgress(done) {
    if (done % 5_000 === 0) console.info(`${done} of ${count}`)
  },
})
console.info(
  `${accepted} accepted, ${rejected} rejected; snarkjs verified ${snarkjsCount} of them too`,
)
for (const disagreement of disagreements) console.info(`The verifiers disagree: ${disagreement}`)
process.exit(disagreements.length === 0 ? 0 : 1)
