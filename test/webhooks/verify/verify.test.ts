import { describe, expect, test } from 'vitest'
import { formatField } from '../../../lib/proof/encoding.ts'
import { realProof } from '../../../lib/proof/examples/real-proofs.ts'
import {
  app,
  platform,
  publish,
  ROOT,
  request,
  setTheScene,
  team,
  verify,
} from '../../support/webhooks/verification-scene.ts'

setTheScene()

describe('a valid proof is counted', () => {
  test('a valid proof is counted, and the response has the canonical nullifier and the time', async () => {
    const body = await request({ nullifier: 0xabcn })
    expect(await verify(body)).toMatchObject({
      status: 200,
      body: {
        success: true,
        action: 'vote',
        nullifier_hash: formatField(0xabcn),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/),
        uses: 1,
        max_uses: 1,
        verification_level: 'orb',
      },
    })
  })

  test('a second proof of the same person is rejected', async () => {
    const nullifier = 0xdefn
    expect(await verify(await request({ nullifier }))).toMatchObject({ status: 200 })
    for (let i = 0; i < 2; i++)
      expect(await verify(await request({ nullifier }))).toMatchObject({
        status: 400,
        body: { code: 'max_verifications_reached', attribute: null },
      })
  })

  test('a person is counted up to the limit, and keeps the time of the first verification', async () => {
    await platform.action(app, { action: 'twice', max_verifications: 2 })
    const body = await request({ action: 'twice' })
    const first = await verify(body)
    const second = await verify(body)
    expect(first.body).toMatchObject({ uses: 1, max_uses: 2 })
    expect(second.body).toMatchObject({ uses: 2, max_uses: 2 })
    expect(Object(second.body).created_at).toBe(Object(first.body).created_at)
    expect(await verify(body)).toMatchObject({ status: 400 })
  })

  test('a person is always counted for an action without a limit', async () => {
    const body = await request({ action: '' })
    for (const uses of [1, 2, 3])
      expect((await verify(body)).body).toMatchObject({ action: '', uses, max_uses: 0 })
  })

  test('a person is counted for each action separately', async () => {
    await platform.action(app, { action: 'other' })
    const nullifier = 99n
    expect(await verify(await request({ nullifier }))).toMatchObject({ status: 200 })
    expect(await verify(await request({ nullifier, action: 'other' }))).toMatchObject({
      status: 200,
    })
  })

  test.each(['orb', 'secure_document', 'document', 'device', 'face', 'selfie'])(
    'a proof with the level %s is accepted, and the response has the level',
    async (verification_level) => {
      const body = { ...(await request({ action: '' })), verification_level }
      expect(await verify(body)).toMatchObject({ status: 200, body: { verification_level } })
    },
  )

  test('a proof has the hash of its signal, or the hash of the empty text without a signal', async () => {
    const { signal_hash, ...without } = await request({ signal: 'transfer 10 to alice' })
    expect(await verify(without)).toMatchObject({ status: 400, body: { code: 'invalid_proof' } })
    expect(await verify({ ...without, signal_hash })).toMatchObject({ status: 200 })
  })

  test('a verification may have unknown fields', async () => {
    const body = { ...(await request({ action: '' })), credential_type: 'orb', uses: 1_000 }
    expect(await verify(body)).toMatchObject({ status: 200 })
  })
})

describe('a proof of a real person verifies', () => {
  test.each([
    ['hola-mundo', false],
    ['solidity-test-A', true],
  ])('the real proof %s verifies (staging: %s)', async (name, is_staging) => {
    const real = realProof(name)
    const { app_id: id, action } = real
    if (!id || !action) throw new Error('The vector has no app.')
    await platform.app({ team, id, is_staging })
    await platform.action(id, { action })
    await publish(BigInt(real.merkle_root), is_staging ? 'staging' : 'production')
    const body = {
      action,
      proof: real.proof,
      merkle_root: real.merkle_root,
      nullifier_hash: real.nullifier_hash,
      signal_hash: real.signal_hash,
      verification_level: 'orb',
    }
    expect(await verify(body, id)).toMatchObject({
      status: 200,
      body: { nullifier_hash: real.nullifier_hash },
    })
    expect(await verify(body, id)).toMatchObject({ status: 400 })
  })

  test('a forged proof of the development key is rejected in production', async () => {
    const id = await platform.app({ team, is_staging: false })
    await platform.action(id)
    await publish(ROOT, 'production')
    expect(await verify(await request({ app: id }), id)).toMatchObject({
      status: 400,
      body: { code: 'invalid_proof', attribute: null },
    })
  })
})
