import type { Proof } from '../../proof/encoding.ts'
import { protocol4Proof } from '../../proof/examples/protocol-4-proofs.ts'
import { realProof } from '../../proof/examples/real-proofs.ts'
import { p } from '../../proof/field.ts'
import { ceremonyKeys } from '../../proof/keys.ts'
import type { AnyProof, Signals, VerificationKey } from '../../proof/pairing/verification-key.ts'
import { PROTOCOL_4_SIGNALS } from '../../proof/protocol-4/public-signals.ts'
import { requireValue } from '../../runtime/require-value.ts'

/** A proof for the self-test of the pairing engine; `isValid` is the expected verdict. */
export type TestVector = { proof: AnyProof; signals: Signals; isValid: boolean }

/** The known cases of a key. */
type TestVectors = { key: VerificationKey; cases: readonly TestVector[] }

/**
 * Returns known cases for the protocols of these keys. A pairing engine that fails on any of them is not used.
 *
 * @param keys the keys of the service
 */
export function testVectors(keys: Iterable<VerificationKey>): TestVectors[] {
  const has4 = [...keys].some(({ ic }) => ic.length === PROTOCOL_4_SIGNALS + 1)
  return [
    { key: ceremonyKey('semaphore-v3-depth-30'), cases: casesOf3() },
    ...(has4 ? [{ key: ceremonyKey('world-id-4'), cases: casesOf4() }] : []),
  ]
}

function ceremonyKey(name: string): VerificationKey {
  return requireValue(ceremonyKeys.get(name), `the key ${name}`)
}

/** Returns the public proofs of protocol 4.0, which are compressed, and invalid variants of them. */
function casesOf4(): TestVector[] {
  return ['uniqueness', 'session'].flatMap((name) => {
    const { compressed, signals } = protocol4Proof(name)
    const [a, b0, b1, c] = compressed
    const [nullifier = 0n] = signals
    return [
      { proof: compressed, signals, isValid: true },
      { proof: compressed, signals: signals.with(0, nullifier + 1n), isValid: false },
      { proof: [a, b0, b1 ^ 1n, c], signals, isValid: false },
    ]
  })
}

/** Returns valid proofs of real people, and invalid variants of them. */
function casesOf3(): TestVector[] {
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
