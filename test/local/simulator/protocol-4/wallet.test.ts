import {
  all,
  any,
  type ConstraintNode,
  CredentialRequest,
  enumerate,
  hashSignal,
  orbLegacy,
  proofOfHuman,
} from '@worldcoin/idkit-core'
import { describe, expect } from 'vitest'
import {
  ACTION,
  type IdkitScene,
  resultOf,
  startIdkitScene,
} from '../../../support/simulator/idkit-scene.ts'
import { createVerifier } from '../../../support/simulator/verifier-contract.ts'
import { test } from '../../../support/webhooks/platform-test.ts'

// Makes requests with idkit-core from npm, answers them with the wallet of simulated people, and gives the proofs to the
// verifier contract.

let scene: IdkitScene
let verifier: ReturnType<typeof createVerifier>

test.beforeAll(async ({ platform }) => {
  scene = await startIdkitScene(platform)
  verifier = createVerifier(platform.anvil.rpcUrl, { app: scene.app, action: ACTION })
})
test.afterAll(() => scene.stop())

describe('a request for credentials of protocol 4.0 gets proofs that the verifier contract accepts', () => {
  test('a uniqueness proof is for the action, the signal and the nonce of the request', async () => {
    const rp_context = scene.sign()
    const answer = await scene.ask({ rp_context })
    expect(answer.page).toContain('Approved.')
    const result = resultOf(answer)
    expect(result).toMatchObject({
      protocol_version: '4.0',
      nonce: rp_context.nonce,
      action: ACTION,
      environment: 'staging',
      responses: [
        {
          identifier: 'proof_of_human',
          issuer_schema_id: 1,
          signal_hash: hashSignal('yes'),
          expires_at_min: rp_context.created_at,
        },
      ],
    })
    expect(await verifier.errors(result)).toEqual([null])
    expect(await verifier.errors({ ...result, nonce: `0x${'0'.repeat(64)}` })).toEqual([
      'ProofInvalid',
    ])
  })

  test('a person has one nullifier for an action, and each person another', async () => {
    const nullifierOf = async (person: string) =>
      resultOf(await scene.ask({ person })).responses.map(
        (item) => 'nullifier' in item && item.nullifier,
      )
    const [first, again, other] = [
      await nullifierOf('person-4'),
      await nullifierOf('person-4'),
      await nullifierOf('person-5'),
    ]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  test.each<[string, ConstraintNode, string[]]>([
    ['any', any(CredentialRequest('mnc'), CredentialRequest('passport')), ['mnc']],
    ['all', all(CredentialRequest('selfie'), CredentialRequest('mnc')), ['selfie', 'mnc']],
    [
      'all and any',
      all(
        CredentialRequest('selfie'),
        any(CredentialRequest('mnc'), CredentialRequest('passport')),
      ),
      ['selfie', 'mnc'],
    ],
    [
      'enumerate',
      enumerate(CredentialRequest('passport'), CredentialRequest('mnc')),
      ['passport', 'mnc'],
    ],
  ])('the constraint %s selects credentials', async (_kind, constraints, identifiers) => {
    const result = resultOf(await scene.ask({ constraints }))
    expect(result.responses.map(({ identifier }) => identifier)).toEqual(identifiers)
    expect(await verifier.errors(result)).toEqual(identifiers.map(() => null))
  })

  test('any and enumerate skip credentials that the person does not have', async () => {
    const [passport, mnc] = [CredentialRequest('passport'), CredentialRequest('mnc')]
    for (const constraints of [any(mnc, passport), enumerate(mnc, passport)]) {
      const result = resultOf(await scene.ask({ constraints, person: 'passport-only' }))
      expect(result.responses.map(({ identifier }) => identifier)).toEqual(['passport'])
    }
  })

  test('a session is opened, and proved again only by the same person', async () => {
    const opened = resultOf(await scene.openSession('person-1'))
    if (!('session_id' in opened)) throw new Error('The result has no session id.')
    expect(await verifier.errors(opened)).toEqual([null])
    const prove = (person: string) => scene.proveSession(opened.session_id, person)
    const again = resultOf(await prove('person-1'))
    expect(again).toMatchObject({ session_id: opened.session_id })
    expect(await verifier.errors(again)).toEqual([null])
    const other = await prove('person-2')
    expect(other.completion).toEqual({ success: false, error: 'generic_error' })
    expect(other.page).toContain('This person did not open this session')
  })

  test('a request with a code, which the person can type, is answered like a request with a link', async () => {
    const answer = await scene.ask({ hasCode: true })
    expect(await verifier.errors(resultOf(answer))).toEqual([null])
  })

  test('a request that needs the presence of the person gets its confirmation', async () => {
    const result = resultOf(await scene.ask({ require_user_presence: true }))
    expect(result).toMatchObject({ user_presence_completed: true })
  })
})

describe('allow_legacy_proofs decides about proofs of protocol 3.0', () => {
  test.each([
    ['person-1', true, '4.0'],
    ['legacy', true, '3.0'],
  ])(
    '%s answers proofOfHuman with allow_legacy_proofs %s by protocol %s',
    async (person, allow_legacy_proofs, protocol) => {
      const preset = proofOfHuman({ signal: 'yes' })
      const result = resultOf(await scene.ask({ person, preset, allow_legacy_proofs }))
      expect(result.protocol_version).toBe(protocol)
      expect(result.responses[0]?.signal_hash).toBe(hashSignal('yes'))
    },
  )

  test('a legacy preset gets a proof of 3.0, or malformed_request if no legacy proof is allowed', async () => {
    const preset = orbLegacy({ signal: 'yes' })
    const answer = await scene.ask({ preset, allow_legacy_proofs: true })
    expect(resultOf(answer)).toMatchObject({
      protocol_version: '3.0',
      responses: [{ identifier: 'orb' }],
    })
    const { completion, page } = await scene.ask({ preset, allow_legacy_proofs: false })
    expect(completion).toEqual({ success: false, error: 'malformed_request' })
    expect(page).toContain('allow_legacy_proofs is false')
  })
})
