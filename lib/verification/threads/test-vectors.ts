import type { Proof } from '../../proof/encoding.ts'
import { realProof } from '../../proof/examples/real-proofs.ts'
import { p } from '../../proof/field.ts'
import { ceremonyKeys } from '../../proof/keys.ts'
import type { Signals, VerificationKey } from '../../proof/pairing/verification-key.ts'

/** A proof for the self-test of the pairing engine; `isValid` is the expected verdict. */
export type TestVector = { proof: Proof; signals: Signals; isValid: boolean }

/** The key of the known cases. */
const TEST_VECTOR_KEY = 'semaphore-v3-depth-30'

export function testVectorKey(): VerificationKey {
  const key = ceremonyKeys.get(TEST_VECTOR_KEY)
  if (key === undefined) throw new RangeError(`There is no key ${TEST_VECTOR_KEY}.`)
  return key
}

/**
 * Returns valid proofs of real people, and invalid variants of them. A pairing engine that fails on any of them is not
 * used.
 */
export function testVectors(): TestVector[] {
  return ['hola-mundo', 'solidity-test-A'].flatMap((name) => {
    const { decoded, signals } = realProof(name)
    const { a, b, c } = decoded
    const [root, nullifier, signal, external] = signals
    const invalidCases: { proof: Proof; signals: Signals }[] = [
      { proof: decoded, signals: [root, nullifier + 1n, signal, external] },
      { proof: decoded, signals: [root, signal, nullifier, external] },
      { proof: { a: [a[0], p - a[1]], b, c }, signals },
      { proof: { a, b, c: a }, signals },
      { proof: { a: [a[1], a[0]], b, c }, signals },
      { proof: { a, b: OUTSIDE_SUBGROUP, c }, signals },
    ]
    return [
      { proof: decoded, signals, isValid: true },
      ...invalidCases.map((testVector) => ({ ...testVector, isValid: false })),
    ]
  })
}

/** A point on the twist that is not in the subgroup. */
const OUTSIDE_SUBGROUP: Proof['b'] = [
  [1n, 0n],
  [
    18278151005453108793778860132295291098363647455926340152056652516292830556603n,
    5912654199736721486680175016176231956195085055698687135131307249486702594212n,
  ],
]
