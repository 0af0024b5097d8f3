import { expect, test } from 'vitest'
import { compareVerifiers } from '../../../../trials/fuzz/pairing/compare-verifiers.ts'

/** `npm run test:pairing` compares 100,000 proofs. */
const COUNT = 400

test('the pairing engine, mcl-wasm and snarkjs agree on valid and changed proofs', async () => {
  const {
    accepted,
    rejected: refused,
    snarkjsCount: bySnarkjs,
    compressedAccepted,
    disagreements,
  } = await compareVerifiers({
    count: COUNT,
    seed: 'random proofs',
    snarkjsOneIn: 25,
  })
  expect(disagreements).toEqual([])
  expect(accepted).toBeGreaterThan(COUNT / 10)
  expect(refused).toBeGreaterThan(COUNT / 2)
  expect(bySnarkjs).toBeGreaterThan(5)
  expect(compressedAccepted).toBeGreaterThan(COUNT / 80)
})
