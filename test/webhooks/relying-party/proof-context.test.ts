import { describe, expect } from 'vitest'
import { rpIdOfApp } from '../../../lib/proof/protocol-4/rp-id.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import type { TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let team: Awaited<ReturnType<TestPlatform['team']>>
let app: string

test.beforeAll(async ({ platform: shared }) => {
  platform = shared
  team = await platform.team()
  app = await platform.app({ team })
  await platform.action(app)
  await platform.db.query("update action set description = 'Vote once' where app_id = $1", [app])
  await platform.action(app, { action: 'closed', status: 'inactive' })
})

describe('proof-context describes an app and an action to a wallet', () => {
  test.each(['its app id', 'its rp id', 'its rp id in upper case'])(
    'the context of an app with %s in the path has the public fields, and no others',
    async (spelling) => {
      const rpId = rpIdOfApp(app)
      const upper = rpId.replace(/[a-f]/g, (digit) => digit.toUpperCase()).replace(/^RP|^rp/, 'rp')
      const id = { 'its app id': app, 'its rp id': rpId }[spelling] ?? upper
      expect(await read({ action: 'vote' }, id)).toMatchObject({
        status: 200,
        body: {
          app_id: app,
          rp_id: rpId,
          name: 'App',
          is_verified: false,
          verified_app_logo: '',
          unverified_app_logo: '',
          integration_url: '',
          action: { action: 'vote', description: 'Vote once', environment: 'staging' },
        },
      })
      const { body } = await read({ action: 'vote' }, id)
      expect(Object.keys(Object(body))).toHaveLength(8)
    },
  )

  test('a request without an action, as for a session proof, gets no action', async () => {
    for (const request of [{}, { action: '' }]) {
      const { status, body } = await read(request)
      expect(status).toBe(200)
      expect(body).not.toHaveProperty('action')
    }
  })

  test('an unknown action is described as if it existed, and is not created', async () => {
    const { body } = await read({ action: 'new' })
    const action = { action: 'new', description: '', environment: 'staging' }
    expect(body).toMatchObject({ action })
    const { rows } = await platform.db.query(
      "select from action where app_id = $1 and action = 'new'",
      [app],
    )
    expect(rows).toEqual([])
  })

  test.each([true, false])('the logo of an app with is_verified %s is in its field', async (is) => {
    const id = await platform.app({ team })
    const logo = 'https://example.com/logo.png'
    await platform.db.query('update app set logo_url = $2, is_verified = $3 where id = $1', [
      id,
      logo,
      is,
    ])
    expect((await read({}, id)).body).toMatchObject({
      is_verified: is,
      verified_app_logo: is ? logo : '',
      unverified_app_logo: is ? '' : logo,
    })
  })
})

describe('proof-context refuses other requests with a reason', () => {
  test('a production app has the environment production, and refuses staging', async () => {
    const id = await platform.app({ team, is_staging: false })
    expect((await read({ action: 'vote' }, id)).body).toMatchObject({
      action: { environment: 'production' },
    })
    expect(await read({ environment: 'staging' }, id)).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: 'environment' },
    })
    expect((await read({ environment: 'staging' })).status).toBe(200)
  })

  test('an inactive action gets action_inactive', async () => {
    expect((await read({ action: 'closed' })).body).toMatchObject({ code: 'action_inactive' })
  })

  test.each([
    ['archived', 'is_archived = true'],
    ['inactive', "status = 'inactive'"],
  ])('an %s app gets not_found', async (_state, change) => {
    const id = await platform.app({ team })
    await platform.db.query(`update app set ${change} where id = $1`, [id])
    for (const spelling of [id, rpIdOfApp(id)])
      expect(await read({}, spelling)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  test.each([
    ['rp_0000000000000000', 404, 'not_found'],
    ['app_00000000000000000000000000000000', 404, 'not_found'],
    ['rp_123', 400, 'invalid_request'],
    ['rp_000000000000000g', 400, 'invalid_request'],
    ['RP_0000000000000000', 400, 'invalid_request'],
    ["app_1' or '1'='1", 400, 'invalid_request'],
    ['app_%', 400, 'invalid_request'],
    ['app_\0', 400, 'invalid_request'],
    ['‮pp_1', 400, 'invalid_request'],
    [`app_${'1'.repeat(4_000)}`, 400, 'invalid_request'],
    ['..', 404, 'not_found'],
  ])('the id %j gets %i %s, which says what to send', async (id, status, code) => {
    const path = id === '..' ? '%2e%2e' : encodeURIComponent(id)
    const reply = await platform.post(`/api/v4/proof-context/${path}`, {})
    expect(reply).toMatchObject({ status, body: { code } })
    if (id !== '..') expect(JSON.stringify(reply.body)).toMatch(/app_….*rp_/)
  })

  test.each([
    [{ action: 5 }, 'action'],
    [{ action: 'x'.repeat(257) }, 'action'],
    [{ environment: 'sandbox' }, 'environment'],
  ])('the body %j gets validation_error', async (body, attribute) => {
    expect((await read(body)).body).toMatchObject({ code: 'validation_error', attribute })
  })

  test('an action that PostgreSQL cannot store is described as an unknown action', async () => {
    const { status, body } = await read({ action: 'a\0' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ action: { action: 'a\0', description: '' } })
  })
})

function read(body: object, id = app) {
  return platform.post(`/api/v4/proof-context/${id}`, body)
}
