import { REAL_PROOF, REAL_PROOF_V1 } from '../../../lib/proof/examples/real-requests.ts'
import { DEMO_APP, DEMO_RP } from './demo-app.ts'
import { NULLIFIER_4, RESULT_4, SESSION_NULLIFIER_4, SESSION_RESULT_4 } from './protocol-4.ts'

const REAL_APP = REAL_PROOF.appId
const { action, verification_level, merkle_root, nullifier_hash, proof } = REAL_PROOF.body
const CREATED_AT = '2026-01-01T12:00:00.123456+00:00'

const PRECHECK_ANSWER = {
  'an app and its action': {
    __typename: 'app',
    id: DEMO_APP,
    engine: 'cloud',
    is_staging: true,
    is_verified: false,
    name: 'Demo app',
    verified_app_logo: '',
    is_sign_in: false,
    sign_in_with_world_id: false,
    can_user_verify: 'undetermined',
    action: {
      __typename: 'action',
      name: 'Vote once',
      action: 'vote',
      description: '',
      max_verifications: 1,
      max_accounts_per_user: 1,
      external_nullifier: '0x000df02d6c87fcf32eebec4ca00f6593fb31b5edb32b672f74e8b11e383e99b9',
      status: 'active',
    },
  },
  'an action by its id (earlier form)': {
    __typename: 'action',
    id: 'action_00000000000000000000000000000001',
    name: 'Vote once',
    public_description: '',
    is_staging: true,
    team: {
      __typename: 'team',
      app_name: 'Demo app',
      is_verified: false,
      verified_app_logo: '',
    },
  },
}

const PROOF_CONTEXT = {
  'an app and its action': {
    app_id: DEMO_APP,
    rp_id: DEMO_RP,
    name: 'Demo app',
    is_verified: false,
    verified_app_logo: '',
    unverified_app_logo: '',
    integration_url: '',
    action: { action: 'vote', description: '', environment: 'staging' },
  },
}

const KEYS = {
  'the keys in use': {
    keys: [
      {
        e: 'AQAB',
        n: 'u1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gunVTLw7onLRnrq0_IzW7yWR7QkrmBL7jTKEn5u-qKhbwKfBstIs-bMY2Zkp18gnTxKLxoS2tFczGkPLPgizskuemMghRniWaoLcyehkd3qqGElvW_VDL5AaWTg0nLVkjRo9z-40RQzuVaE8AkAFmxZzow3x-VJYKdjykkJ0iT9wCS0DRTXu269V264Vf_3jvredZiKRkgwlL9xNAwxXFg0x_XFw005UWVRIkdgcKWTjpBP2dPwVZ4WWC-9aGVd-Gyn1o0CLelf4rEjGoXbAAEgAqeGUxrcIlbjXfbcmw',
        kty: 'RSA',
        kid: 'jwk_9302cfdf13fdec9bdcf10f93c7cbea5d',
      },
    ],
  },
}

/** The examples for proofs, signing keys and the public facts of an app. */
export const verificationExamples = {
  'POST /api/v2/verify/{app_id}': {
    parameters: { app_id: REAL_APP },
    request: { "a real person's proof": REAL_PROOF.body },
    answers: {
      200: {
        'the person is counted': {
          success: true,
          action,
          nullifier_hash,
          created_at: CREATED_AT,
          uses: 1,
          max_uses: 1,
          verification_level,
        },
      },
    },
  },
  'POST /api/v4/verify/{app_id}': {
    parameters: { app_id: REAL_APP },
    request: {
      'the result of IDKit 4': {
        protocol_version: '3.0',
        action,
        responses: [
          { identifier: verification_level, nullifier: nullifier_hash, merkle_root, proof },
        ],
      },
      'a public proof of protocol 4.0': RESULT_4,
      'a public session proof of protocol 4.0': SESSION_RESULT_4,
    },
    answers: {
      200: {
        'the person is counted': {
          success: true,
          action,
          nullifier: nullifier_hash,
          created_at: CREATED_AT,
          protocol_version: '3.0',
          identifier: verification_level,
          uses: 1,
          max_uses: 1,
        },
        'a proof of protocol 4.0 is valid': {
          success: true,
          action,
          nullifier: NULLIFIER_4,
          created_at: CREATED_AT,
          environment: 'production',
          results: [{ identifier: 'proof_of_human', success: true, nullifier: NULLIFIER_4 }],
          message: 'Proof verified successfully',
        },
        'a session proof is valid': {
          success: true,
          session_id: SESSION_RESULT_4.session_id,
          environment: 'production',
          results: [
            {
              identifier: 'proof_of_human',
              success: true,
              nullifier: SESSION_NULLIFIER_4,
              sessionId: SESSION_RESULT_4.session_id,
            },
          ],
          message: 'Session proof verified successfully',
        },
      },
    },
  },
  'POST /api/v4/proof-context/{id}': {
    parameters: { id: DEMO_APP },
    request: { 'an action of an app': { action: 'vote' }, 'a session': {} },
    answers: { 200: PROOF_CONTEXT },
  },
  'GET /api/v4/rp-status/{rp_id}': {
    parameters: { rp_id: DEMO_RP },
    answers: {
      200: {
        'a staging app with a key': {
          production_status: 'registered',
          staging_status: 'registered',
          signer_address: '0xa6f3fd6158e4c9aeb4c6ffb4d1f45ca5bf1b2d36',
        },
      },
    },
  },
  'POST /api/v1/verify': {
    request: { "a real person's proof": REAL_PROOF_V1 },
    answers: {
      200: {
        'the person is counted': {
          success: true,
          nullifier_hash: REAL_PROOF_V1.nullifier_hash,
          return_url: '',
        },
      },
    },
  },
  'GET /api/v1/precheck/{id}': {
    parameters: { id: DEMO_APP, action: 'vote' },
    answers: { 200: PRECHECK_ANSWER },
  },
  'POST /api/v1/precheck/{id}': {
    parameters: { id: DEMO_APP },
    request: {
      'an action of an app': { action: 'vote' },
      'an action and a person': { action: 'vote', nullifier_hash: '0x2a' },
      'an action by the id in the path': {},
    },
    answers: { 200: PRECHECK_ANSWER },
  },
  'GET /api/v1/jwks': { answers: { 200: KEYS } },
  'POST /api/v1/jwks': { answers: { 200: KEYS } },
}
