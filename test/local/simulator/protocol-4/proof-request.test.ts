import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { formatField, hashToField } from '../../../../lib/proof/encoding.ts'
import { rpIdOfApp } from '../../../../lib/proof/protocol-4/rp-id.ts'
import { parseProofRequest } from '../../../../local/simulator/protocol-4/proof-request.ts'
import { requireRelyingParty } from '../../../../local/simulator/protocol-4/relying-party.ts'

// Requests that IDKit does not make, but other programs may.

const APP = 'app_staging_1'
const SIGNER = privateKeyToAccount(`0x${'22'.repeat(32)}`)
const now = Math.floor(Date.now() / 1_000)

function proofRequest(changes: object = {}) {
  const rpId = rpIdOfApp(APP)
  return {
    id: 'request-1',
    version: 1,
    created_at: now,
    expires_at: now + 300,
    rp_id: rpId,
    oprf_key_id: rpId.replace('rp_', '0x'),
    action: formatField(hashToField('vote')),
    signature: `0x${'1'.repeat(130)}`,
    nonce: formatField(7n),
    proof_requests: [{ identifier: 'passport', issuer_schema_id: 9303 }],
    ...changes,
  }
}

const session = `session_${'1'.repeat(64)}01${'0'.repeat(62)}`
const item = { identifier: 'passport', issuer_schema_id: 9303 }

describe('parseProofRequest', () => {
  test.each([
    ['without session and constraints', {}],
    ['that opens a session as IDKit 4.3', { proof_type: 'create_session', action: null }],
    [
      'that opens a session as the protocol today',
      { proof_type: 'session', session_id: 'create', action: null },
    ],
    ['that proves a session', { proof_type: 'session', session_id: session, action: undefined }],
    ['with nested constraints', { constraints: { all: ['passport', { any: ['passport'] }] } }],
  ])('accepts a request %s', (_kind, changes) => {
    expect(parseProofRequest(proofRequest(changes))).toMatchObject({ id: 'request-1' })
  })

  test.each([
    [{ version: 2 }, 'proof_request.version'],
    [{ surprise: 1 }, 'Must not have surprise.'],
    [{ proof_requests: [] }, 'proof_request.proof_requests'],
    [{ proof_requests: [item, item] }, 'Must ask each issuer once.'],
    [{ proof_requests: [{ ...item, signal: 'yes' }] }, 'proof_request.proof_requests.0.signal'],
    [{ rp_id: 'rp_1' }, 'Must be rp_ and 16 hex digits.'],
    [{ oprf_key_id: '0x1' }, 'Must be the number of rp_id.'],
    [{ nonce: '0x7' }, 'Must be 0x and 64 hex digits below the modulus.'],
    [{ nonce: `0x${'f'.repeat(64)}` }, 'Must be 0x and 64 hex digits below the modulus.'],
    [{ action: null }, 'Must be present in a request for a uniqueness proof'],
    [{ action: formatField(2n << 248n) }, 'Must begin with the byte 0.'],
    [{ session_id: 'create' }, 'no verifier contract accepts both'],
    [
      { proof_type: 'session', session_id: 'session_1', action: null },
      'session_ and 128 hex digits',
    ],
    [{ proof_type: 'session', action: null }, 'Must be "create" or the id of a session.'],
    [{ constraints: { all: [] } }, 'proof_request.constraints'],
    [{ constraints: { any: [{ any: [{ any: ['passport'] }] }] } }, 'nested deeper than 2 levels'],
    [{ constraints: { any: Array.from({ length: 12 }, () => 'passport') } }, 'at most 12 nodes'],
    [{ signature: '0x12' }, 'Must be 0x and 130 hex digits.'],
  ])('refuses %j as malformed_request', (changes, mistake) => {
    expect(() => parseProofRequest(proofRequest(changes))).toThrow(
      expect.objectContaining({
        code: 'malformed_request',
        message: expect.stringContaining(mistake),
      }),
    )
  })
})

describe('requireRelyingParty', () => {
  const states = { production_status: 'registered', staging_status: 'registered' }
  const check = (changes: object, party: object = {}) =>
    requireRelyingParty(parseProofRequest(proofRequest(changes)), {
      appId: APP,
      findRelyingParty: async () => ({ ...states, signer_address: SIGNER.address, ...party }),
    })

  test('refuses a request from the future', async () => {
    const changes = { created_at: now + 1_900, expires_at: now + 2_000 }
    await expect(check(changes)).rejects.toMatchObject({ code: 'timestamp_too_far_in_future' })
  })

  test('refuses a production app, which accepts no simulated people', async () => {
    await expect(check({}, { staging_status: null })).rejects.toMatchObject({
      code: 'invalid_network',
      message: expect.stringContaining('Only staging apps accept simulated people.'),
    })
  })

  test('refuses a signature of another key, and accepts a new nonce once', async () => {
    await expect(check({})).rejects.toMatchObject({ code: 'invalid_rp_signature' })
    const { nonce, action } = proofRequest()
    const times = [now, now + 300].map((time) => time.toString(16).padStart(16, '0')).join('')
    const raw = `0x01${nonce.slice(2)}${times}${action.slice(2)}` as const
    const signature = await SIGNER.signMessage({ message: { raw } })
    await expect(check({ signature })).resolves.toBeUndefined()
    await expect(check({ signature })).rejects.toMatchObject({ code: 'duplicate_nonce' })
  })
})
