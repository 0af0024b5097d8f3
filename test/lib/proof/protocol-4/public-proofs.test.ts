import { beforeAll, describe, expect, test } from 'vitest'
import { hashToField } from '../../../../lib/proof/encoding.ts'
import { protocol4Proofs } from '../../../../lib/proof/examples/protocol-4-proofs.ts'
import { r } from '../../../../lib/proof/field.ts'
import { ceremonyKeys } from '../../../../lib/proof/keys.ts'
import { createVerifiers } from '../../../../lib/proof/pairing/groth16/groth16-verifier.ts'
import { makeKeyTables } from '../../../../lib/proof/pairing/groth16/key-tables.ts'
import { curveCompiled, prepareMclVerifier } from '../../../../lib/proof/pairing/mcl-verifier.ts'
import type { ProofVerifier } from '../../../../lib/proof/pairing/verification-key.ts'
import { kindOfAction, protocol4Signals } from '../../../../lib/proof/protocol-4/public-signals.ts'
import { parseProofWords } from '../../../../lib/proof/protocol-4/words.ts'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import { compilePairingModule } from '../../../support/proof/pairing/parts.ts'

const key = requireValue(ceremonyKeys.get('world-id-4'), 'the key world-id-4')
const verifiers: Record<string, ProofVerifier> = {}

beforeAll(async () => {
  await curveCompiled
  verifiers['mcl-wasm'] = prepareMclVerifier(key)
  const module = compilePairingModule()
  const engine = createVerifiers(module, new Map([['', makeKeyTables(module, key)]]))
  verifiers['the pairing engine'] = requireValue(engine.get(''), 'the verifier')
})

describe.each(['the pairing engine', 'mcl-wasm'])('%s verifies public proofs of 4.0', (name) => {
  const verify: ProofVerifier = (proof, signals) =>
    requireValue(verifiers[name], name)(proof, signals)

  test.each(protocol4Proofs)(
    'the $name proof is valid, compressed or not',
    ({ compressed, decoded, signals }) => {
      expect(verify(decoded, signals)).toBe(true)
      expect(verify(compressed, signals)).toBe(true)
    },
  )

  test.each(protocol4Proofs)(
    'the $name proof is invalid if any of the 15 signals is changed',
    ({ compressed, signals }) => {
      for (const change of [1n, -1n, 1n << 200n])
        for (const [index, signal] of signals.entries()) {
          const changed = signals.with(index, (((signal + change) % r) + r) % r)
          expect({ index, change, isValid: verify(compressed, changed) }).toEqual({
            index,
            change,
            isValid: false,
          })
        }
    },
  )

  test.each(protocol4Proofs)(
    'the $name proof is invalid if the modulus is added to a signal',
    ({ decoded, signals }) => {
      const verdicts = signals.map((signal, i) => verify(decoded, signals.with(i, signal + r)))
      expect(verdicts).toEqual(signals.map(() => false))
    },
  )

  test.each(protocol4Proofs)(
    'the $name proof is invalid if two neighbouring signals are exchanged',
    ({ decoded, signals }) => {
      for (let i = 1; i < signals.length; i++) {
        const [first = 0n, second = 0n] = signals.slice(i - 1, i + 1)
        const exchanged = signals.with(i - 1, second).with(i, first)
        expect({ i, isValid: verify(decoded, exchanged) }).toEqual({ i, isValid: first === second })
      }
    },
  )

  test.each(protocol4Proofs)(
    'the $name proof is invalid if any bit of its four words is flipped',
    ({ words, signals }) => {
      for (let index = 0; index < 4; index++)
        for (const bit of [0, 1, 2, 3, 100, 253, 254, 255]) {
          const word = BigInt(words[index] ?? '') ^ (1n << BigInt(bit))
          const changed = parseProofWords(words.with(index, `0x${word.toString(16)}`))
          const { proof } = requireValue(changed, 'a proof')
          expect({ index, bit, isValid: verify(proof, signals) }).toEqual({
            index,
            bit,
            isValid: false,
          })
        }
    },
  )

  test.each(protocol4Proofs)(
    'the $name proof is invalid with fewer or more signals',
    ({ decoded, signals }) => {
      const lists = [[], signals.slice(1), signals.slice(0, -1), [...signals, 0n]]
      expect(lists.map((list) => verify(decoded, list))).toEqual(lists.map(() => false))
    },
  )
})

describe('the public signals have the order of the circuit', () => {
  test.each(protocol4Proofs)('protocol4Signals orders the inputs of the $name proof', (example) => {
    const [nullifier, issuer, x, y, expires, genesis, root, depth, rp, action, ox, oy, ...others] =
      example.signals.map((signal) => signal)
    const [signalHash, nonce, sessionId] = others
    const signals = protocol4Signals({
      nullifier: requireValue(nullifier, 'nullifier'),
      issuerSchemaId: requireValue(issuer, 'issuer'),
      issuerKey: { x: requireValue(x, 'x'), y: requireValue(y, 'y') },
      expiresAtMin: requireValue(expires, 'expires'),
      credentialGenesisIssuedAtMin: requireValue(genesis, 'genesis'),
      merkleRoot: requireValue(root, 'root'),
      treeDepth: requireValue(depth, 'depth'),
      rpId: requireValue(rp, 'rp'),
      action: requireValue(action, 'action'),
      oprfKey: { x: requireValue(ox, 'x'), y: requireValue(oy, 'y') },
      signalHash: requireValue(signalHash, 'signalHash'),
      nonce: requireValue(nonce, 'nonce'),
      sessionId: requireValue(sessionId, 'sessionId'),
    })
    expect(signals).toEqual(example.signals)
    expect(signals[6]).toBe(BigInt(example.words[4] ?? ''))
  })

  test('the action of the uniqueness proof and of the session proof have different kinds', () => {
    expect(protocol4Proofs.map(({ signals }) => kindOfAction(signals[9] ?? 0n))).toEqual([
      'uniqueness',
      'session',
    ])
  })

  test('the hash of an action’s name is an action of a uniqueness proof', () => {
    for (const name of ['', 'vote', '0x02', '\u0002']) {
      expect(kindOfAction(hashToField(Buffer.from(name)))).toBe('uniqueness')
    }
  })

  test.each([1n, 3n, 0x20n, 255n])('an action whose first byte is %d has no kind', (byte) => {
    expect(kindOfAction(byte << 248n)).toBeNull()
  })
})
