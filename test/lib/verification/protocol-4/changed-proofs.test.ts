import { describe, expect, test } from 'vitest'
import { p, r } from '../../../../lib/proof/field.ts'
import type { SubmittedProof4 } from '../../../../lib/verification/protocol-4/decode-proof.ts'
import type { Reason4 } from '../../../../lib/verification/protocol-4/verify-proof-4.ts'
import { useChecks4 } from '../../../support/verification/checks-4.ts'
import { PUBLIC_PROOF_TIME, submittedProof4 } from '../../../support/verification/protocol-4.ts'

const scene = useChecks4()
const uniqueness = submittedProof4('uniqueness')
const session = submittedProof4('session')

type Change = (submitted: SubmittedProof4) => Partial<SubmittedProof4>

const add = (text: string, n: bigint) => `0x${(BigInt(text) + n).toString(16)}`
const word =
  (index: number, change: (text: string) => string): Change =>
  ({ proof }) => ({ proof: proof.map((text, i) => (i === index ? change(text) : text)) })

describe.each([
  ['uniqueness', uniqueness],
  ['session', session],
])('a changed %s proof is refused with its reason', (_kind, submitted) => {
  const cases: [string, Reason4, Change][] = [
    ['another nullifier', 'invalid_proof', ({ nullifier }) => ({ nullifier: add(nullifier, 1n) })],
    ['another action', 'invalid_proof', ({ action }) => ({ action: action + 1n })],
    ['another nonce', 'invalid_proof', ({ nonce }) => ({ nonce: add(nonce, 1n) })],
    ['another signal', 'invalid_proof', ({ signalHash }) => ({ signalHash: add(signalHash, 1n) })],
    ['an earlier expiry', 'invalid_proof', (proof) => ({ expiresAtMin: proof.expiresAtMin - 1n })],
    ['a later expiry', 'invalid_proof', (proof) => ({ expiresAtMin: proof.expiresAtMin + 1n })],
    ['another age', 'invalid_proof', () => ({ credentialGenesisIssuedAtMin: 5n })],
    ['an unknown issuer', 'invalid_credential_issuer', () => ({ issuerSchemaId: 2n })],
    ['another relying party', 'invalid_rp', ({ rpId }) => ({ rpId: rpId + 1n })],
    ['another root', 'invalid_root', word(4, (text) => add(text, 1n))],
    ['the root plus the modulus', 'invalid_root', word(4, (text) => add(text, r))],
    [
      'words in another order',
      'invalid_proof',
      ({ proof: [a = '', b = '', c = '', ...others] }) => ({ proof: [b, a, c, ...others] }),
    ],
    [
      'A and C exchanged',
      'invalid_proof',
      ({ proof: [a = '', b = '', c = '', d = '', e = ''] }) => ({ proof: [d, b, c, a, e] }),
    ],
    [
      'the sign of A changed',
      'invalid_proof',
      word(0, (text) => `0x${(BigInt(text) ^ 1n).toString(16)}`),
    ],
    [
      'the hint of B changed',
      'invalid_proof',
      word(2, (text) => `0x${(BigInt(text) ^ 2n).toString(16)}`),
    ],
    ['A at infinity', 'invalid_proof', word(0, () => '0x0')],
    [
      'B at infinity',
      'invalid_proof',
      ({ proof }) => ({ proof: proof.with(1, '0x0').with(2, '0x0') }),
    ],
    ['C at infinity', 'invalid_proof', word(3, () => '0x0')],
    [
      'all points at infinity',
      'invalid_proof',
      ({ proof }) => ({ proof: ['0', '0', '0', '0', ...proof.slice(4)] }),
    ],
    ['A above the modulus', 'invalid_proof', word(0, (text) => add(text, 2n * p))],
    ['B above the modulus', 'invalid_proof', word(1, (text) => add(text, p))],
    [
      'the largest words',
      'invalid_proof',
      ({ proof }) => ({
        proof: [...Array.from({ length: 4 }, () => `0x${'f'.repeat(64)}`), ...proof.slice(4)],
      }),
    ],
    ['no words', 'invalid_format', () => ({ proof: [] })],
    ['four words', 'invalid_format', ({ proof }) => ({ proof: proof.slice(1) })],
    ['padded words', 'invalid_format', ({ proof }) => ({ proof: [...proof, '0x0', '0x0', '0x0'] })],
    ['a word that is not hex', 'invalid_format', word(0, () => '0xzz')],
    [
      'a word that is too long',
      'invalid_format',
      word(3, (text) => `0x0${text.slice(2).padStart(64, '0')}`),
    ],
    ['a word above 256 bits', 'invalid_format', word(3, () => (2n ** 256n).toString())],
    ['an empty word', 'invalid_format', word(1, () => '')],
    ['a nullifier that is not hex', 'invalid_format', () => ({ nullifier: 'snil_00' })],
    ['an empty nullifier', 'invalid_format', () => ({ nullifier: '' })],
    ['an empty nonce', 'invalid_format', () => ({ nonce: '' })],
    ['a signal hash in base 64', 'invalid_format', () => ({ signalHash: 'aGVsbG8=' })],
    [
      'the nullifier plus the modulus',
      'invalid_public_input',
      ({ nullifier }) => ({ nullifier: add(nullifier, r) }),
    ],
    [
      'the nonce plus the modulus',
      'invalid_public_input',
      ({ nonce }) => ({ nonce: add(nonce, r) }),
    ],
    [
      'the signal plus the modulus',
      'invalid_public_input',
      ({ signalHash }) => ({ signalHash: add(signalHash, r) }),
    ],
    [
      'the action plus the modulus',
      'invalid_public_input',
      ({ action }) => ({ action: action + r }),
    ],
    ['a negative action', 'invalid_public_input', ({ action }) => ({ action: action - r })],
    ['an rp id above 64 bits', 'invalid_public_input', ({ rpId }) => ({ rpId: rpId + 2n ** 64n })],
    [
      'an issuer above 64 bits',
      'invalid_public_input',
      ({ issuerSchemaId }) => ({ issuerSchemaId: issuerSchemaId + 2n ** 64n }),
    ],
    [
      'an expiry above 64 bits',
      'invalid_public_input',
      ({ expiresAtMin }) => ({ expiresAtMin: expiresAtMin + 2n ** 64n }),
    ],
    ['a negative expiry', 'invalid_public_input', () => ({ expiresAtMin: -1n })],
    [
      'an age above the modulus',
      'invalid_public_input',
      () => ({ credentialGenesisIssuedAtMin: r }),
    ],
    ['the first byte 1 in its action', 'invalid_public_input', () => ({ action: 1n << 248n })],
    ['the first byte 3 in its action', 'invalid_public_input', () => ({ action: 3n << 248n })],
    [
      'an expiry that overflows with the tolerance',
      'outdated_nullifier',
      () => ({ expiresAtMin: 2n ** 64n - 1n }),
    ],
  ]

  test.each(cases)('a proof with %s is refused with %s', async (_change, reason, change) => {
    const { verify } = await scene()
    expect(await verify({ ...submitted, ...change(submitted) })).toEqual({ valid: false, reason })
  })

  test('a proof is refused on a chain with another tree depth', async () => {
    const { state, verify } = await scene()
    state.treeDepth = 29n
    expect(await verify(submitted)).toEqual({ valid: false, reason: 'invalid_proof' })
  })

  test('a proof is refused on a chain with another key of the issuer or the relying party', async () => {
    for (const keys of ['issuers', 'oprfKeys'] as const) {
      const { state, verify } = await scene()
      for (const [id, { x, y }] of state[keys]) state[keys].set(id, { x: x + 1n, y })
      expect(await verify(submitted)).toEqual({ valid: false, reason: 'invalid_proof' })
    }
  })

  test('a proof is valid until its expiry plus the tolerance of the contract', async () => {
    const { clock, verify } = await scene()
    clock.now = PUBLIC_PROOF_TIME + 3_600
    expect(await verify(submitted)).toMatchObject({ valid: true })
    clock.now += 1
    expect(await verify(submitted)).toEqual({ valid: false, reason: 'outdated_nullifier' })
  })
})
