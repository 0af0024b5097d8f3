import { describe, expect } from 'vitest'
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

describe('a payment status request returns the payment', () => {
  test('a payment status request finds the payment by its id and by its hash in any case', async () => {
    const payment = paymentOf(app)
    const id = await insert(platform, team.apiKey, payment)
    const upperCaseHash = `0x${payment.transaction_hash.slice(2).toUpperCase()}`
    for (const name of [id, payment.transaction_hash, upperCaseHash]) {
      const reply = await query(platform, { id: name, app, key: team.apiKey })
      expect(reply).toMatchObject({ status: 200, body: { reference: payment.reference } })
    }
  })

  test("a payment status request finds the payment by MiniKit's transaction_id in any case, in its own app only", async () => {
    const transaction_id = hash()
    const otherApp = await platform.app({ team })
    const payment = {
      ...paymentOf(app),
      transaction_id: transaction_id.toUpperCase().replace('X', 'x'),
    }
    await insert(platform, team.apiKey, payment)
    for (const id of [transaction_id, payment.transaction_id])
      expect(await query(platform, { id, app, key: team.apiKey })).toMatchObject({
        status: 200,
        body: { reference: payment.reference, transaction_hash: payment.transaction_hash },
      })
    expect(
      await query(platform, { id: transaction_id, app: otherApp, key: team.apiKey }),
    ).toMatchObject({ status: 404, body: { code: 'not_found', attribute: 'transaction_id' } })
    expect(await query(platform, { id: transaction_id, app, key: stranger.apiKey })).toMatchObject({
      status: 403,
    })
  })

  test('a payment whose transaction_id is the hash of another payment does not replace that payment', async () => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    const transaction_id = payment.transaction_hash
    await insert(platform, team.apiKey, { ...paymentOf(app), transaction_id })
    expect(await query(platform, { id: transaction_id, app, key: team.apiKey })).toMatchObject({
      body: { reference: payment.reference },
    })
  })

  test.each(['order-7', 'Größe/7?&#%+ 8', `txn_${'0'.repeat(32)}`, 'x'.repeat(128)])(
    'a payment status request finds the payment by the reference %s',
    async (reference) => {
      await insert(platform, team.apiKey, paymentOf(app))
      await insert(platform, team.apiKey, { ...paymentOf(app), reference })
      const other = await platform.app({ team })
      await insert(platform, team.apiKey, { ...paymentOf(other), reference })
      expect(await byReference({ reference })).toMatchObject({
        status: 200,
        body: { reference, app_id: app },
      })
    },
  )

  test('a payment status request with an id ignores the reference', async () => {
    const [firstPayment, other] = [paymentOf(app), paymentOf(app)]
    const id = await insert(platform, team.apiKey, firstPayment)
    await insert(platform, team.apiKey, other)
    const search = `app_id=${app}&type=payment&reference=${other.reference}`
    const response = await fetch(`${platform.baseUrl}/api/v2/minikit/transaction/${id}?${search}`, {
      headers: { authorization: `Bearer ${team.apiKey}` },
    })
    expect(await response.json()).toMatchObject({ reference: firstPayment.reference })
  })

  test('a payment status response has the fields of the specification and the time of the block', async () => {
    const id = await insert(platform, team.apiKey, paymentOf(app))
    const { body } = await query(platform, { id, app, key: team.apiKey })
    expect(Object.keys(Object(body)).toSorted()).toEqual(
      'app_id block_timestamp chain from reference timestamp to token token_amount transaction_hash transaction_status'.split(
        ' ',
      ),
    )
  })

  test('simultaneous payment status requests each get their own payment', async () => {
    const payments = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const payment = paymentOf(app)
        return { payment, id: await insert(platform, team.apiKey, payment) }
      }),
    )
    const replies = await Promise.all(
      payments.flatMap(({ id }) => [
        query(platform, { id, app, key: team.apiKey }),
        query(platform, { id, app, key: stranger.apiKey }),
      ]),
    )
    replies.forEach(({ status, body }, i) => {
      if (i % 2) expect(status).toBe(403)
      else expect(Object(body).reference).toBe(payments[i / 2]?.payment.reference)
    })
  })
})

test('the database never changes a final status', async () => {
  const id = await insert(platform, team.apiKey, paymentOf(app))
  await platform.db.query(
    "update transaction set transaction_status = 'mined', is_final = true where id = $1",
    [id],
  )
  for (const change of ["transaction_status = 'pending', is_final = false", 'is_final = false'])
    await expect(
      platform.db.query(`update transaction set ${change} where id = $1`, [id]),
    ).rejects.toMatchObject({ code: '23000' })
})

/** Requests the status of the app's transaction by these fields. */
function byReference(fields: Record<string, string>, key = team.apiKey) {
  return queryByReference(platform, { app, key }, fields)
}
