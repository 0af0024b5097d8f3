import { expect, test } from 'vitest'
import { readProofResponse } from '../../../portal/pages/try-it/protocol-4/wallet-answer.ts'

const PURPOSE = { nonce: '0x01', action: 'vote' }
const WORDS = ['1', '2', '3', '4', '5'].map((digit) => digit.padStart(64, '0'))
const ITEM = {
  identifier: 'proof_of_human',
  issuer_schema_id: 1,
  proof: WORDS.join(''),
  nullifier: `nil_${'7'.padStart(64, '0')}`,
  expires_at_min: 1_795_875_601,
}
const RESPONSE = { id: '1', version: 1, responses: [ITEM] }
const RESULT = {
  protocol_version: '4.0',
  nonce: '0x01',
  action: 'vote',
  responses: [
    {
      ...ITEM,
      proof: WORDS.map((word) => `0x${word}`),
      nullifier: `0x${'7'.padStart(64, '0')}`,
    },
  ],
  environment: 'staging',
}

test.each([
  ['with extensions', { proof_response: RESPONSE, user_presence_completed: false }],
  ['of the first wallets', RESPONSE],
])('an answer %s becomes the result of IDKit', (_form, answer) => {
  expect(readProofResponse(answer, PURPOSE)).toEqual({ proof: RESULT })
})

test('an integrity bundle stays in the result, for the platform to judge', () => {
  const answer = { proof_response: RESPONSE, integrity_bundle: { version: 1 } }
  expect(readProofResponse(answer, PURPOSE)).toEqual({
    proof: { ...RESULT, integrity_bundle: { version: 1 } },
  })
})

test.each([
  [{ error_code: 'invalid_rp_signature' }, 'invalid_rp_signature'],
  [
    { proof_response: { ...RESPONSE, error: 'credential_unavailable', responses: [] } },
    'credential_unavailable',
  ],
  [{ ...RESPONSE, responses: [{ ...ITEM, proof: '00' }] }, 'unexpected_response'],
  [{ proof: '0x', merkle_root: '0x', nullifier_hash: '0x' }, 'unexpected_response'],
  ['text', 'unexpected_response'],
])('the answer %j is the error %s', (answer, error_code) => {
  expect(readProofResponse(answer, PURPOSE)).toEqual({ error_code })
})
