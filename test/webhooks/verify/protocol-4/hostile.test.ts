import { describe, expect, test } from 'vitest'
import { r } from '../../../../lib/proof/field.ts'
import { rpIdOfApp } from '../../../../lib/proof/protocol-4/rp-id.ts'
import {
  app,
  chain,
  countsOf,
  makeAction4,
  makeApp4,
  platform,
  result4,
  setTheScene4,
  verify4,
} from '../../../support/webhooks/verify/protocol-4-scene.ts'

setTheScene4()

const hex = (n: bigint) => `0x${n.toString(16)}`
const wide = `0x${'f'.repeat(64)}`

describe('a proof for other values is refused with its reason, and counted nowhere', () => {
  const firstResponse = (change: object) => (body: Awaited<ReturnType<typeof result4>>) => ({
    ...body,
    responses: body.responses.map((response) => ({ ...response, ...change })),
  })
  const word = (index: number, text: string) => (body: Awaited<ReturnType<typeof result4>>) => ({
    ...body,
    responses: body.responses.map((response) => ({
      ...response,
      proof: response.proof.with(index, text),
    })),
  })
  const hourAgo = BigInt(Math.floor(Date.now() / 1_000)) - 3_700n

  test.each([
    ['another nonce', {}, (body: object) => ({ ...body, nonce: '0x7' }), 'invalid_proof'],
    ['another signal', {}, firstResponse({ signal_hash: '0x1' }), 'invalid_proof'],
    ['another nullifier', {}, firstResponse({ nullifier: '0x7' }), 'invalid_proof'],
    ['another expiry', {}, firstResponse({ expires_at_min: 9_999_999_999 }), 'invalid_proof'],
    [
      'another time of issue',
      {},
      firstResponse({ credential_genesis_issued_at_min: 1 }),
      'invalid_proof',
    ],
    [
      'another action in the proof',
      { action: 'other' },
      (body: object) => ({ ...body, action: 'vote' }),
      'invalid_proof',
    ],
    ['the rp of another app in the proof', { rpId: 5n }, (body: object) => body, 'invalid_proof'],
    ['an unknown root', { root: 1n }, (body: object) => body, 'invalid_root'],
    ['another root in the words', {}, word(4, '0x1'), 'invalid_root'],
    ['an unknown issuer', { issuer: 2n }, (body: object) => body, 'invalid_credential_issuer'],
    ['an expired credential', { expires: hourAgo }, (body: object) => body, 'outdated_nullifier'],
    ['the expiry 0', { expires: 0n }, (body: object) => body, 'outdated_nullifier'],
    [
      'swapped words',
      {},
      (body: Awaited<ReturnType<typeof result4>>) =>
        firstResponse({ proof: body.responses[0]?.proof.toReversed() })(body),
      'invalid_root',
    ],
    ['a word 0', {}, word(0, '0x0'), 'invalid_proof'],
    ['a word of 256 bits', {}, word(0, wide), 'invalid_proof'],
    ['a word of 257 bits', {}, word(0, `0x1${'0'.repeat(64)}`), 'invalid_format'],
    ['a word that is no number', {}, word(2, 'zk'), 'invalid_format'],
    ['a negative word', {}, word(2, '-1'), 'invalid_format'],
    ['a malformed nonce', {}, (body: object) => ({ ...body, nonce: 'nonce' }), 'invalid_format'],
    [
      'a nonce above the field',
      {},
      (body: object) => ({ ...body, nonce: hex(r) }),
      'invalid_public_input',
    ],
    [
      'a nullifier above the field',
      {},
      firstResponse({ nullifier: hex(r + 5n) }),
      'invalid_public_input',
    ],
    [
      'a signal above the field',
      {},
      firstResponse({ signal_hash: hex(r) }),
      'invalid_public_input',
    ],
    [
      'an issuer above 64 bits',
      {},
      firstResponse({ issuer_schema_id: '18446744073709551616' }),
      'invalid_public_input',
    ],
  ] as const)('%s', async (_name, statement, change, code) => {
    const body = await result4(statement)
    const before = await countsOf()
    const reply = await verify4(change(body))
    expect(reply).toMatchObject({
      status: 400,
      body: {
        code: 'all_verifications_failed',
        attribute: null,
        results: [{ identifier: 'proof_of_human', success: false, code }],
      },
    })
    expect(Object(reply.body).results[0]).not.toHaveProperty('nullifier')
    expect(await countsOf()).toEqual(before)
  })

  test('a credential with the name of another credential is refused', async () => {
    const body = await result4()
    const refusal = await verify4(firstResponse({ identifier: 'passport' })(body))
    expect(refusal).toMatchObject({
      status: 400,
      body: { results: [{ identifier: 'passport', code: 'invalid_credential_issuer' }] },
    })
  })

  test('the same number with a multiple of the modulus is no second nullifier', async () => {
    const body = await result4({ nullifier: 31n })
    expect((await verify4(body)).status).toBe(200)
    const again = firstResponse({ nullifier: hex(r + 31n) })(body)
    expect((await verify4(again)).body).toMatchObject({ code: 'all_verifications_failed' })
    const padded = firstResponse({ nullifier: `0x${'1f'.padStart(64, '0').toUpperCase()}` })(body)
    expect((await verify4(padded)).body).toMatchObject({ code: 'max_verifications_reached' })
  })

  test('a proof for one app is refused by another app of the same team', async () => {
    const other = await makeApp4()
    await makeAction4({}, other)
    const body = await result4()
    expect((await verify4(body, other)).body).toMatchObject({
      results: [{ code: 'invalid_proof' }],
    })
    expect((await verify4(body)).status).toBe(200)
  })

  test('an app whose rp id has no key on the chain gets invalid_rp', async () => {
    const id = await makeApp4()
    await makeAction4({}, id)
    const rpId = BigInt(`0x${rpIdOfApp(id).slice(3)}`)
    chain.state.oprfKeys.delete(rpId)
    const reply = await verify4(await result4({ appId: id }), id)
    expect(reply.body).toMatchObject({ results: [{ code: 'invalid_rp' }] })
  })
})

describe('a malformed body is refused with its field', () => {
  const without = async (field: string) => {
    const body = await result4()
    return {
      ...body,
      responses: body.responses.map((response) => ({ ...response, [field]: undefined })),
    }
  }

  test.each([
    ['no nonce', { nonce: undefined }, 'nonce'],
    ['a number as nonce', { nonce: 5 }, 'nonce'],
    ['a long nonce', { nonce: '1'.repeat(81) }, 'nonce'],
    ['no action', { action: undefined }, 'action'],
    ['an empty action', { action: '' }, 'action'],
    ['a long action', { action: 'x'.repeat(257) }, 'action'],
    ['an unknown environment', { environment: 'test' }, 'environment'],
    ['no responses', { responses: [] }, 'responses'],
    ['thirteen responses', { responses: Array(13).fill({}) }, 'responses'],
    ['responses that are no list', { responses: {} }, 'responses'],
    ['the protocol 5.0', { protocol_version: '5.0' }, 'protocol_version'],
    ['the number 4 as protocol', { protocol_version: 4 }, 'protocol_version'],
    ['a list as session id', { session_id: ['x'] }, 'session_id'],
  ])('%s', async (_name, change, attribute) => {
    const reply = await verify4({ ...(await result4()), ...change })
    const { code, attribute: reported } = Object(reply.body)
    expect([reply.status, code]).toEqual([400, 'validation_error'])
    expect(reported).toMatch(new RegExp(`^${attribute}`))
  })

  test.each(['identifier', 'issuer_schema_id', 'nullifier', 'expires_at_min', 'proof'])(
    'a response without %s',
    async (field) => {
      expect((await verify4(await without(field))).body).toMatchObject({
        code: 'validation_error',
        attribute: `responses.0.${field}`,
      })
    },
  )

  test.each([
    ['four words', { proof: ['0x1', '0x1', '0x1', '0x1'] }, 'proof'],
    ['a number as word', { proof: [1, 2, 3, 4, 5] }, 'proof'],
    ['a text as proof', { proof: '0x1' }, 'proof'],
    ['a negative expiry', { expires_at_min: -1 }, 'expires_at_min'],
    ['a fraction as issuer', { issuer_schema_id: 1.5 }, 'issuer_schema_id'],
    ['hex as issuer', { issuer_schema_id: '0x1' }, 'issuer_schema_id'],
    ['a signal hash without 0x', { signal_hash: '12' }, 'signal_hash'],
  ])('a response with %s', async (_name, change, field) => {
    const body = await result4()
    const responses = body.responses.map((response) => ({ ...response, ...change }))
    const reply = await verify4({ ...body, responses })
    expect([reply.status, Object(reply.body).code]).toEqual([400, 'validation_error'])
    expect(Object(reply.body).attribute).toMatch(new RegExp(`^responses.0.${field}`))
  })

  test('a body of 200 kB gets 413, and a body with two protocols is parsed by the last', async () => {
    expect((await verify4({ ...(await result4()), padding: 'x'.repeat(200_000) })).status).toBe(413)
    const text = JSON.stringify(await result4()).replace('{', '{"protocol_version":"3.0",')
    const reply = await platform.post(`/api/v4/verify/${app}`, text)
    expect(reply.status).toBe(200)
  })
})
