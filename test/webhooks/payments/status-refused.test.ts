import { beforeAll, describe, expect } from 'vitest'
import { app, platform, setTheScene, stranger, team } from '../../support/webhooks/payment-scene.ts'
import {
  hash,
  insert,
  paymentOf,
  query,
  queryByReference,
} from '../../support/webhooks/payments.ts'
import { test } from '../../support/webhooks/platform-test.ts'

setTheScene()

describe('invalid requests for the status of a payment are rejected', () => {
  let id: string
  beforeAll(async () => {
    id = await insert(platform, team.apiKey, paymentOf(app))
  })

  test.each([
    ['no credentials', undefined],
    ['another scheme', 'Basic abc'],
    ['another token', 'Bearer abc'],
    ['an unknown key', `Bearer api_${btoa(`key_${'0'.repeat(32)}:secret`)}`],
  ])(
    'a payment status request gets 401 with %s, whatever else is wrong',
    async (_name, authorization) => {
      for (const search of ['', `?app_id=${app}&type=payment`]) {
        const response = await fetch(
          `${platform.baseUrl}/api/v2/minikit/transaction/${id}${search}`,
          authorization ? { headers: { authorization } } : {},
        )
        expect(response.status).toBe(401)
        expect(await response.json()).toMatchObject({ code: 'unauthenticated', attribute: null })
      }
    },
  )

  test('a payment status request gets 401 with a key that has the secret of another key', async () => {
    const [keyParts, other] = [team, stranger].map(({ apiKey }) => atob(apiKey.slice(4)).split(':'))
    const key = `api_${btoa(`${keyParts?.[0]}:${other?.[1]}`).replace(/=+$/, '')}`
    expect(await query(platform, { id, app, key })).toMatchObject({ status: 401 })
  })

  test('a payment status request gets 401 as soon as its key is revoked', async () => {
    const revokedTeam = await platform.team()
    const revokedTeamsApp = await platform.app({ team: revokedTeam })
    const payment = await insert(platform, revokedTeam.apiKey, paymentOf(revokedTeamsApp))
    const requestStatus = () =>
      query(platform, { id: payment, app: revokedTeamsApp, key: revokedTeam.apiKey })
    expect((await requestStatus()).status).toBe(200)
    await platform.db.query('update api_key set is_active = false where id = $1', [
      revokedTeam.keyId,
    ])
    expect((await requestStatus()).status).toBe(401)
  })

  test.each([
    ['', 'required', 'app_id'],
    ['?type=payment', 'required', 'app_id'],
    ['?app_id=&type=payment', 'required', 'app_id'],
    ['?app_id=app_1', 'required', 'type'],
    ['?app_id=app_1&type=', 'required', 'type'],
    ['?app_id=app_1&type=gift', 'invalid_request', 'type'],
    ['?app_id=app_1&type=PAYMENT', 'invalid_request', 'type'],
  ])('a payment status request gets 400 with the query "%s"', async (search, code, attribute) => {
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction/${id}${search}`, {
      headers: { authorization: `Bearer ${team.apiKey}` },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code, attribute })
  })

  test.each(['app_1', "app_'--", '%00', `app_${'0'.repeat(100)}`])(
    'a payment status request gets 403 with the app %s, which is not an app of the team',
    async (name) => {
      const reply = await query(platform, { id, app: name, key: team.apiKey })
      expect(reply).toMatchObject({
        status: 403,
        body: { code: 'invalid_app', attribute: 'app_id' },
      })
    },
  )

  test('a payment status request gets the same 403 with an app of another team', async () => {
    const reply = await query(platform, { id, app, key: stranger.apiKey })
    expect(reply).toMatchObject({ status: 403, body: { code: 'invalid_app', attribute: 'app_id' } })
  })

  test.each(['txn_1', '%00', '0x', hash(), '__proto__'])(
    'a payment status request gets 404 with %s, which is not a transaction of the app',
    async (name) => {
      const reply = await query(platform, { id: name, app, key: team.apiKey })
      const body = { code: 'not_found', attribute: 'transaction_id' }
      expect(reply).toMatchObject({ status: 404, body })
    },
  )

  test.each([
    ['an unknown reference', { reference: 'none' }, 404, 'not_found', 'reference'],
    ['a reference with a zero byte', { reference: 'a\0' }, 404, 'not_found', 'reference'],
    ['a reference of another type', { type: 'transaction' }, 404, 'not_found', 'reference'],
    ['an empty reference', { reference: '' }, 400, 'required', 'reference'],
    ['an unknown app', { app_id: 'app_1' }, 403, 'invalid_app', 'app_id'],
  ])(
    'a payment status request for %s is rejected',
    async (_name, fields, status, code, attribute) => {
      const payment = paymentOf(app)
      await insert(platform, team.apiKey, payment)
      const fieldsOfRequest = { reference: payment.reference, ...fields }
      expect(await byReference(fieldsOfRequest)).toMatchObject({
        status,
        body: { code, attribute },
      })
    },
  )

  test('a payment status request without an id, a hash or a reference gets 400', async () => {
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction?app_id=${app}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'required', attribute: 'transaction_id' })
  })

  test('a payment status request of another team gets the same 403 for a known and an unknown reference', async () => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    for (const reference of [payment.reference, 'none'])
      expect(await byReference({ reference }, stranger.apiKey)).toMatchObject({
        status: 403,
        body: { code: 'invalid_app' },
      })
  })

  test('a payment status request with the type transaction gets 404 for a payment', async () => {
    const reply = await query(platform, { id, app, key: team.apiKey, type: 'transaction' })
    expect(reply).toMatchObject({ status: 404 })
  })
})

/** Requests the status of the app's transaction by these fields. */
function byReference(fields: Record<string, string>, key = team.apiKey) {
  return queryByReference(platform, { app, key }, fields)
}
