import { CredentialRequest } from '@worldcoin/idkit-core'
import { describe, expect } from 'vitest'
import { rpIdOfApp } from '../../../../lib/proof/protocol-4/rp-id.ts'
import {
  appId,
  type IdkitScene,
  resultOf,
  startIdkitScene,
} from '../../../support/simulator/idkit-scene.ts'
import { test } from '../../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../../support/webhooks/start-platform.ts'

let scene: IdkitScene
let platform: TestPlatform

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  scene = await startIdkitScene(platform)
})
test.afterAll(() => scene.stop())

type Request = Parameters<IdkitScene['ask']>[0]

describe('the wallet refuses what a real wallet refuses, and its page says why', () => {
  const now = () => Math.floor(Date.now() / 1_000)
  const passport = CredentialRequest('passport')

  test.each<[string, string, RegExp, () => Request]>([
    [
      'a person without the credential',
      'credential_unavailable',
      /has no passport/,
      () => ({ constraints: passport, person: 'no-documents' }),
    ],
    [
      'a person with an expired credential',
      'credential_unavailable',
      /expires at 1735689600/,
      () => ({ person: 'expired' }),
    ],
    [
      'a credential that is too old',
      'credential_unavailable',
      /genesis_issued_at_min is 1767225600/,
      () => ({ constraints: CredentialRequest('passport', { genesis_issued_at_min: 1767225600 }) }),
    ],
    [
      'a credential that expires too early',
      'credential_unavailable',
      /expires_at_min, 5000000000/,
      () => ({ constraints: CredentialRequest('passport', { expires_at_min: 5_000_000_000 }) }),
    ],
    [
      'a person with World ID 3.0 only',
      'world_id_4_not_available',
      /only World ID 3\.0/,
      () => ({ person: 'legacy' }),
    ],
    [
      'another rp id',
      'unknown_rp',
      /The rp id of app_/,
      () => ({ rp_context: { rp_id: 'rp_0000000000000001' } }),
    ],
    [
      'an app that does not exist',
      'unknown_rp',
      /No app has the rp id/,
      () => ({ app_id: 'app_staging_ff', rp_context: { rp_id: rpIdOfApp('app_staging_ff') } }),
    ],
    [
      'the signature of another action',
      'invalid_rp_signature',
      /must be signed by 0x/,
      () => ({ rp_context: scene.sign('claim') }),
    ],
    [
      'a signature of another nonce',
      'invalid_rp_signature',
      /must be signed by 0x/,
      () => ({ rp_context: { nonce: `0x00${'1'.repeat(62)}` } }),
    ],
    [
      'an expired request',
      'rp_signature_expired',
      /expired \d+ s ago/,
      () => ({ rp_context: { created_at: now() - 60, expires_at: now() - 1 } }),
    ],
    [
      'an old request',
      'timestamp_too_old',
      /180\d s old/,
      () => ({ rp_context: { created_at: now() - 1_802 } }),
    ],
    [
      'a request that expires too late',
      'generic_error',
      /at most 1800 s after created_at/,
      () => ({ rp_context: { expires_at: now() + 4_000 } }),
    ],
    ['a person who declines', 'user_rejected', /Declined/, () => ({ person: 'nobody' })],
    [
      'a request for attributes of a document',
      'identity_attributes_not_matched',
      /no document/,
      () => ({
        preset: { type: 'IdentityCheck', attributes: [{ type: 'minimum_age', value: 18 }] },
        allow_legacy_proofs: true,
      }),
    ],
  ])('%s gets %s', async (_request, error, reason, request) => {
    const { completion, page } = await scene.ask(request())
    expect(completion).toEqual({ success: false, error })
    expect(page).toMatch(reason)
    if (error !== 'user_rejected') expect(page).toContain('role="alert"')
  })

  test('the same signed request twice gets duplicate_nonce', async () => {
    const rp_context = scene.sign()
    resultOf(await scene.ask({ rp_context }))
    const { completion, page } = await scene.ask({ rp_context })
    expect(completion).toEqual({ success: false, error: 'duplicate_nonce' })
    expect(page).toContain('used this nonce before')
  })

  test('an app without a request signing key, and an archived app, get unknown_rp and inactive_rp', async () => {
    const id = await platform.app({ team: await platform.team() })
    const request = { app_id: appId(id), rp_context: { rp_id: rpIdOfApp(id) } } as const
    expect((await scene.ask(request)).completion).toMatchObject({ error: 'unknown_rp' })
    await platform.db.query('update app set is_archived = true where id = $1', [id])
    expect((await scene.ask(request)).completion).toMatchObject({ error: 'inactive_rp' })
  })
})
