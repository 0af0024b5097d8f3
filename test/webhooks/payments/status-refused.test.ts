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

describe('it is refused', () => {
  let id: string
  beforeAll(async () => {
    id = await insert(platform, team.apiKey, paymentOf(app))
  })

  test.each([
    ['no key', undefined],
    ['no bearer', 'Basic abc'],
    ['no API key', 'Bearer abc'],
    ['a key of nobody', `Bearer api_${btoa(`key_${'0'.repeat(32)}:secret`)}`],
  ])('to %s, whatever else is wrong', async (_name, authorization) => {
    for (const search of ['', `?app_id=${app}&type=payment`]) {
      const response = await fetch(
        `${platform.baseUrl}/api/v2/minikit/transaction/${id}${search}`,
        authorization ? { headers: { authorization } } : {},
      )
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({ code: 'unauthenticated', attribute: null })
    }
  })

  test('to a key with the secret of another', async () => {
    const [own, other] = [team, stranger].map(({ apiKey }) => atob(apiKey.slice(4)).split(':'))
    const key = `api_${btoa(`${own?.[0]}:${other?.[1]}`).replace(/=+$/, '')}`
    expect(await query(platform, { id, app, key })).toMatchObject({ status: 401 })
  })

  test('to a key from the moment that it is revoked', async () => {
    const revoked = await platform.team()
    const its = await platform.app({ team: revoked })
    const payment = await insert(platform, revoked.apiKey, paymentOf(its))
    const ask = () => query(platform, { id: payment, app: its, key: revoked.apiKey })
    expect((await ask()).status).toBe(200)
    await platform.db.query('update api_key set is_active = false where id = $1', [revoked.keyId])
    expect((await ask()).status).toBe(401)
  })

  test.each([
    ['', 'required', 'app_id'],
    ['?type=payment', 'required', 'app_id'],
    ['?app_id=&type=payment', 'required', 'app_id'],
    ['?app_id=app_1', 'required', 'type'],
    ['?app_id=app_1&type=', 'required', 'type'],
    ['?app_id=app_1&type=gift', 'invalid_request', 'type'],
    ['?app_id=app_1&type=PAYMENT', 'invalid_request', 'type'],
  ])('for the query "%s"', async (search, code, attribute) => {
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction/${id}${search}`, {
      headers: { authorization: `Bearer ${team.apiKey}` },
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code, attribute })
  })

  test.each(['app_1', "app_'--", '%00', `app_${'0'.repeat(100)}`])(
    'for the app %s, which is not the team’s',
    async (name) => {
      const reply = await query(platform, { id, app: name, key: team.apiKey })
      expect(reply).toMatchObject({
        status: 403,
        body: { code: 'invalid_app', attribute: 'app_id' },
      })
    },
  )

  test('for an app of another team, alike', async () => {
    const reply = await query(platform, { id, app, key: stranger.apiKey })
    expect(reply).toMatchObject({ status: 403, body: { code: 'invalid_app', attribute: 'app_id' } })
  })

  test.each(['txn_1', '%00', '0x', hash(), '__proto__'])(
    'for %s, which is no transaction of the app',
    async (name) => {
      const reply = await query(platform, { id: name, app, key: team.apiKey })
      const body = { code: 'not_found', attribute: 'transaction_id' }
      expect(reply).toMatchObject({ status: 404, body })
    },
  )

  test.each([
    ['an unknown reference', { reference: 'none' }, 404, 'not_found', 'reference'],
    ['one that no database stores', { reference: 'a\0' }, 404, 'not_found', 'reference'],
    ['one of another type', { type: 'transaction' }, 404, 'not_found', 'reference'],
    ['an empty one', { reference: '' }, 400, 'required', 'reference'],
    ['an app of nobody', { app_id: 'app_1' }, 403, 'invalid_app', 'app_id'],
  ])('for %s', async (_name, fields, status, code, attribute) => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    const asked = { reference: payment.reference, ...fields }
    expect(await byReference(asked)).toMatchObject({ status, body: { code, attribute } })
  })

  test('without an id, a hash or a reference', async () => {
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction?app_id=${app}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'required', attribute: 'transaction_id' })
  })

  test('to another team by its reference, alike', async () => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    for (const reference of [payment.reference, 'none'])
      expect(await byReference({ reference }, stranger.apiKey)).toMatchObject({
        status: 403,
        body: { code: 'invalid_app' },
      })
  })

  test('as a transaction when it is a payment', async () => {
    const reply = await query(platform, { id, app, key: team.apiKey, type: 'transaction' })
    expect(reply).toMatchObject({ status: 404 })
  })
})

/** Asks for the status of the app's transaction with this name. */
function byReference(fields: Record<string, string>, key = team.apiKey) {
  return queryByReference(platform, { app, key }, fields)
}
