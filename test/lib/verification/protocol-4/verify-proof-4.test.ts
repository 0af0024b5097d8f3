import { describe, expect, test } from 'vitest'
import { useChecks4 } from '../../../support/verification/checks-4.ts'
import { PUBLIC_PROOF_TIME, submittedProof4 } from '../../../support/verification/protocol-4.ts'
import { revert } from '../../../support/verification/world-chain.ts'

const scene = useChecks4()
const uniqueness = submittedProof4('uniqueness')
const session = submittedProof4('session')

describe('the public proofs of protocol 4.0 are valid', () => {
  test.each([
    ['uniqueness', uniqueness],
    ['session', session],
  ])('the %s proof is valid, with the canonical nullifier', async (_kind, submitted) => {
    const { verify } = await scene()
    expect(await verify(submitted)).toEqual({
      valid: true,
      nullifierHash: `0x${BigInt(submitted.nullifier).toString(16).padStart(64, '0')}`,
    })
  })

  test('padded, upper-case and decimal numbers are the same proof', async () => {
    const { verify } = await scene()
    const padded = (text: string) => `0x${text.slice(2).toUpperCase().padStart(64, '0')}`
    const rewritten = {
      ...uniqueness,
      nullifier: padded(uniqueness.nullifier).slice(2),
      nonce: BigInt(uniqueness.nonce).toString(),
      signalHash: padded(uniqueness.signalHash),
      proof: uniqueness.proof.map(padded),
    }
    expect(await verify(rewritten)).toEqual(await verify(uniqueness))
  })
})

describe('uniqueness proofs and session proofs are kept apart', () => {
  test('a uniqueness proof is no session proof, with any session id', async () => {
    const { verify } = await scene()
    const verdict = await verify({ ...uniqueness, sessionId: session.sessionId })
    expect(verdict).toEqual({ valid: false, reason: 'invalid_public_input' })
    const retitled = { ...uniqueness, action: session.action, sessionId: session.sessionId }
    expect(await verify(retitled)).toEqual({ valid: false, reason: 'invalid_proof' })
  })

  test('a session proof is no uniqueness proof', async () => {
    const { verify } = await scene()
    const verdict = await verify({ ...session, sessionId: 0n })
    expect(verdict).toEqual({ valid: false, reason: 'invalid_public_input' })
    const retitled = { ...session, action: uniqueness.action, sessionId: 0n }
    expect(await verify(retitled)).toEqual({ valid: false, reason: 'invalid_proof' })
  })

  test('a session proof of another session is refused', async () => {
    const { verify } = await scene()
    const verdict = await verify({ ...session, sessionId: session.sessionId + 1n })
    expect(verdict).toEqual({ valid: false, reason: 'invalid_proof' })
  })
})

describe('a proof needs the chain only if its facts are not cached', () => {
  test('a proof is refused with unavailable while the chain is away, and nothing is cached', async () => {
    const { stop, verify } = await scene()
    await stop()
    await expect(verify(uniqueness)).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  })

  test('a proof is valid with cached facts while the chain is away, for a minute', async () => {
    const { stop, clock, verify } = await scene()
    expect(await verify(uniqueness)).toMatchObject({ valid: true })
    await stop()
    clock.now += 59
    expect(await verify(session)).toMatchObject({ valid: true })
    clock.now += 2
    await expect(verify(session)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a proof waits for a slow chain, and gets unavailable from a chain that never answers', async () => {
    const { state, clock, verify } = await scene()
    state.beforeAnswer = () => new Promise((resolve) => setTimeout(resolve, 300))
    expect(await verify(uniqueness)).toMatchObject({ valid: true })
    state.beforeAnswer = () => new Promise(() => {})
    expect(await verify(session)).toMatchObject({ valid: true })
    clock.now += 61
    await expect(verify(session)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a contract that reverts without a reason is unavailable, and accepts no proof', async () => {
    for (const name of ['getTreeDepth', 'isValidRoot', 'issuerSchemaIdToPubkey']) {
      const { state, verify } = await scene()
      state.answers.set(name, revert('0x'))
      await expect(verify(uniqueness)).rejects.toMatchObject({ code: 'unavailable' })
    }
  })

  test('a registry that reverts with an unknown id has no OPRF key', async () => {
    const { state, verify } = await scene()
    state.oprfKeys.clear()
    expect(await verify(uniqueness)).toEqual({ valid: false, reason: 'invalid_rp' })
  })

  test('a malformed proof is refused without the chain', async () => {
    const { stop, verify } = await scene()
    await stop()
    expect(await verify({ ...uniqueness, proof: [] })).toMatchObject({ reason: 'invalid_format' })
    expect(await verify({ ...uniqueness, rpId: -1n })).toMatchObject({
      reason: 'invalid_public_input',
    })
  })

  test('a root that the registry no longer accepts is refused within a minute', async () => {
    const { state, clock, verify } = await scene()
    expect(await verify(uniqueness)).toMatchObject({ valid: true })
    state.roots.clear()
    clock.now += 61
    expect(await verify(uniqueness)).toEqual({ valid: false, reason: 'invalid_root' })
  })

  test('a root that was refused is valid two seconds later, if it has been published', async () => {
    const { state, clock, verify } = await scene()
    const roots = [...state.roots]
    state.roots.clear()
    expect(await verify(uniqueness)).toEqual({ valid: false, reason: 'invalid_root' })
    for (const root of roots) state.roots.add(root)
    clock.now += 3
    expect(await verify(uniqueness)).toMatchObject({ valid: true })
  })

  test('a proof with an invented root or issuer costs one call of the chain, and its repeats cost none', async () => {
    const { state, verify } = await scene()
    await verify(uniqueness)
    state.calls.length = 0
    const invented = Array.from({ length: 12 }, (_, n) => ({
      root: { ...uniqueness, proof: uniqueness.proof.with(4, `0x${(n + 1).toString(16)}`) },
      issuer: { ...uniqueness, issuerSchemaId: BigInt(n + 900) },
    }))
    for (let round = 0; round < 5; round++) {
      const roots = await Promise.all(invented.map(({ root }) => verify(root)))
      expect(roots).toEqual(Array(12).fill({ valid: false, reason: 'invalid_root' }))
    }
    expect(state.calls.map((call) => call.split(' ')[0])).toEqual(Array(12).fill('isValidRoot'))
    state.calls.length = 0
    for (let round = 0; round < 5; round++) {
      const issuers = await Promise.all(invented.map(({ issuer }) => verify(issuer)))
      expect(issuers).toEqual(Array(12).fill({ valid: false, reason: 'invalid_credential_issuer' }))
    }
    expect(state.calls).toHaveLength(12)
  })
})

test('every verdict that needed the chain is offered for a cross-check, and no other', async () => {
  const { verify, crossChecks } = await scene()
  await verify(uniqueness)
  await verify({ ...uniqueness, nonce: '1' })
  await verify({ ...uniqueness, nonce: 'x' })
  expect(crossChecks.map(({ isAccepted }) => isAccepted)).toEqual([true, false])
})

describe('examineProof4 runs all checks', () => {
  test('a valid proof passes each check', async () => {
    const { examine } = await scene()
    expect(await examine(uniqueness)).toEqual({
      unreadable: [],
      outOfRange: [],
      isRootValid: true,
      isIssuerRegistered: true,
      hasOprfKey: true,
      expiry: { isRecent: true, oldest: BigInt(PUBLIC_PROOF_TIME - 3_600) },
      isProven: true,
    })
  })

  test('several failures are all reported', async () => {
    const { state, clock, examine } = await scene()
    state.roots.clear()
    clock.now += 9_999
    expect(await examine({ ...uniqueness, nonce: '1' })).toMatchObject({
      isRootValid: false,
      isIssuerRegistered: true,
      expiry: { isRecent: false },
      isProven: false,
    })
  })

  test('the pairing is not checked without the keys', async () => {
    const { state, examine } = await scene()
    state.issuers.clear()
    state.oprfKeys.clear()
    expect(await examine(uniqueness)).toMatchObject({
      isRootValid: true,
      isIssuerRegistered: false,
      hasOprfKey: false,
      isProven: null,
    })
  })

  test('unreadable fields and numbers out of range are named', async () => {
    const { examine } = await scene()
    const malformed = { ...uniqueness, nonce: '', proof: ['1'], rpId: -1n, action: 1n << 248n }
    expect(await examine(malformed)).toMatchObject({
      unreadable: ['nonce', 'proof'],
      outOfRange: ['action', 'rp_id'],
      isRootValid: null,
      isProven: null,
    })
  })
})
