import { describe, expect, test } from 'vitest'
import { rpIdOfApp } from '../../../../lib/proof/protocol-4/rp-id.ts'
import {
  app,
  countsOf,
  ISSUER,
  makeAction4,
  makeApp4,
  nullifierOf,
  platform,
  response4,
  result4,
  setTheScene4,
  verify4,
} from '../../../support/webhooks/verify/protocol-4-scene.ts'

setTheScene4()

describe('the app decides the environment', () => {
  test.each(['production', 'staging', 'sandbox', undefined])(
    'a staging app accepts the environment %s',
    async (environment) => {
      const reply = await verify4(await result4({}, { environment }))
      expect(reply).toMatchObject({ status: 200, body: { environment: environment ?? 'staging' } })
    },
  )

  test('a production app refuses staging and sandbox, and never accepts a proof of the development key', async () => {
    const id = await makeApp4({ is_staging: false })
    await makeAction4({}, id)
    for (const environment of ['staging', 'sandbox'])
      expect((await verify4(await result4({ appId: id }, { environment }), id)).body).toMatchObject(
        {
          code: 'validation_error',
          attribute: 'environment',
        },
      )
    for (const environment of ['production', undefined])
      expect((await verify4(await result4({ appId: id }, { environment }), id)).body).toMatchObject(
        {
          code: 'all_verifications_failed',
          results: [{ code: 'invalid_proof' }],
        },
      )
  })
})

describe('an action accepts only its protocol', () => {
  test('a result of protocol 4.0 is refused by an action of protocol 3.0, before its proof is checked', async () => {
    await makeAction4({ action: 'old', protocol: '3.0' })
    for (const statement of [{ action: 'old' }, { action: 'old', root: 1n }])
      expect((await verify4(await result4(statement))).body).toEqual({
        code: 'invalid_protocol',
        detail: 'This action accepts only proofs of protocol 3.0.',
        attribute: 'protocol_version',
      })
  })

  test('an action with both protocols accepts protocol 4.0', async () => {
    await makeAction4({ action: 'both', protocol: 'both' })
    expect((await verify4(await result4({ action: 'both' }))).status).toBe(200)
  })

  test('an inactive action is refused', async () => {
    await makeAction4({ action: 'closed', status: 'inactive' })
    expect((await verify4(await result4({ action: 'closed' }))).body).toMatchObject({
      code: 'action_inactive',
    })
  })
})

describe('other refusals have a reason', () => {
  test.each([
    ['app_none', 404, 'not_found'],
    ['rp_0000000000000000', 404, 'not_found'],
    ['rp_1', 400, 'invalid_request'],
    ['none', 400, 'invalid_request'],
    ['app_%00', 400, 'invalid_request'],
  ])('the id %s gets %i %s, which says what to send', async (id, status, code) => {
    const reply = await verify4(await result4(), id)
    expect(reply).toMatchObject({ status, body: { code, attribute: 'app_id' } })
    expect(Object(reply.body).detail).toMatch(/app_….*rp_ and 16 hex digits/)
  })

  test.each(['is_archived = true', "status = 'inactive'"])(
    'an app with %s is unknown',
    async (change) => {
      const id = await makeApp4()
      await makeAction4({}, id)
      const body = await result4({ appId: id })
      expect((await verify4(body, rpIdOfApp(id))).status).toBe(200)
      await platform.db.query(`update app set ${change} where id = $1`, [id])
      for (const spelling of [id, rpIdOfApp(id)])
        expect((await verify4(body, spelling)).body).toMatchObject({ code: 'not_found' })
    },
  )

  test('an on-chain app gets invalid_engine', async () => {
    const id = await makeApp4({ engine: 'on-chain' })
    expect((await verify4(await result4({ appId: id }), id)).body).toMatchObject({
      code: 'invalid_engine',
    })
  })

  const bundle = {
    version: 1,
    signature_format: 'apple_app_attest',
    timestamp: 1_767_225_600,
    signature: 'ab12',
    jwt: 'a.b.c',
  }

  test('an integrity bundle is refused by name, and counts nobody', async () => {
    const body = await result4({}, { integrity_bundle: bundle })
    const reply = await verify4(body)
    expect(reply).toMatchObject({
      status: 403,
      body: { code: 'invalid_integrity_bundle', attribute: 'integrity_bundle' },
    })
    expect(await countsOf()).not.toHaveProperty(nullifierOf(body))
  })

  test.each([
    ['version', 2],
    ['signature_format', 'other'],
    ['timestamp', -1],
    ['timestamp', 2 ** 60],
    ['signature', 'abc'],
    ['signature', 'zz'],
    ['signature', 'ab'.repeat(4_097)],
    ['jwt', ''],
    ['extra', 1],
  ])('a malformed integrity bundle gets validation_error: %s %j', async (field, value) => {
    const body = await result4({}, { integrity_bundle: { ...bundle, [field]: value } })
    expect((await verify4(body)).body).toMatchObject({
      code: 'validation_error',
      attribute: expect.stringMatching(/^integrity_bundle/),
    })
  })

  test.each([
    ['', 400, 'configuration_error'],
    ['http://127.0.0.1:9', 503, 'unavailable'],
  ])(
    'with WORLD_CHAIN_RPC_URL="%s" the answer is %i %s, and nobody is counted',
    async (url, status, code) => {
      const instance = await platform.anotherInstance({ WORLD_CHAIN_RPC_URL: url })
      const body = await result4()
      const reply = await fetch(`${instance.baseUrl}/api/v4/verify/${app}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      await instance.stop()
      expect([reply.status, await reply.json()]).toMatchObject([status, { code }])
      expect(await countsOf()).not.toHaveProperty(nullifierOf(body))
    },
  )

  test('twelve proofs of which the last is valid are accepted', async () => {
    const statement = { nonce: 99n, nullifier: 99n }
    const invalid = await response4({ ...statement, issuer: ISSUER + 1n })
    const responses = [...Array(11).fill(invalid), await response4(statement)]
    const reply = await verify4(await result4(statement, { responses }))
    expect(reply.status).toBe(200)
    expect(Object(reply.body).results).toHaveLength(12)
  })
})
