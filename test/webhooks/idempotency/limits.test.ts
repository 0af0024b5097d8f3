import { describe, expect, test } from 'vitest'
import {
  addPayment,
  ageAnswer,
  bearer,
  newKey as newQuotedKey,
  rowsOf,
  untilAnswered,
} from '../../support/webhooks/idempotency/mutations.ts'
import {
  ageRequest,
  LIMIT_REACHED,
  newKey,
  REUSED,
  verify,
} from '../../support/webhooks/idempotency/verifications.ts'
import { paymentOf } from '../../support/webhooks/payments.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import {
  app,
  platform,
  request,
  setTheSceneApart,
} from '../../support/webhooks/verification-scene.ts'

// These tests count all stored keys and change the quota.

setTheSceneApart()

describe('an idempotency key is kept for a day, within a quota', () => {
  test('an idempotency key of a verification is ignored after a day, even before its row is deleted', async () => {
    const [body, key] = [await request(), newKey()]
    const first = await verify(body, key)
    await ageRequest(body, '23 hours 59 minutes')
    expect(await verify(body, key)).toMatchObject({ status: 200, body: first.body })
    await ageRequest(body, '24 hours 1 second')
    expect(await verify(body, key)).toMatchObject(LIMIT_REACHED)
    const otherBody = await request()
    expect(await verify(otherBody, key)).toMatchObject({ status: 200, body: { uses: 1 } })
    expect(await verify(otherBody, key)).toMatchObject({ status: 200 })
    expect(await verify(body, key)).toMatchObject(REUSED)
  })

  test('the clean-up deletes every key of a verification that is older than a day, and no other', async () => {
    await platform.db.query('delete from counted_request')
    const [old, young, key] = [await request(), await request(), newKey()]
    await verify(old, key)
    await verify(young, newKey())
    await ageRequest(old, '25 hours')
    await platform.db.query(
      `insert into counted_request
      select lpad(n::text, 64, '0'), app_id, fingerprint, action_id, nullifier_hash, uses, max_uses, verified_at, token_id, verification_level, outcomes, created_at
      from counted_request, generate_series(1, 4500) n where created_at < now() - interval '1 day'`,
    )
    const deletedCounts = { counted_requests: 4_501, answered_requests: 0 }
    expect(await expire()).toMatchObject({ status: 200, body: { deleted: deletedCounts } })
    expect(await expire()).toMatchObject({ body: { deleted: { counted_requests: 0 } } })
    const { rows } = await platform.db.query('select nullifier_hash from counted_request')
    expect(rows).toEqual([{ nullifier_hash: Object(young).nullifier_hash }])
  })

  test('an idempotency key of a mutation is ignored after a day', async () => {
    const [payment, key] = [paymentOf(app), newQuotedKey()]
    await addPayment(payment, key)
    await ageAnswer(key, '1 day 1 second')
    const retry = await addPayment(payment, key)
    expect(Object(retry.body).errors[0].extensions.code).toBe('constraint-violation')
    const first = await addPayment(paymentOf(app), key)
    expect(first).toMatchObject({ body: { data: {} } })
    await ageAnswer(key, '1 day 1 second')
    const deletedCounts = await expire()
    expect(deletedCounts).toMatchObject({ body: { deleted: { answered_requests: 1 } } })
    expect(await rowsOf(key)).toEqual([])
  })

  test('new idempotency keys above the quota of their team get quota_exceeded, and a stored key still works', async () => {
    const otherTeam = await platform.team()
    const id = await platform.app({ team: otherTeam })
    await platform.db.query("update quota set most = 3 where kind = 'answered_request'")
    const keys = Array.from({ length: 8 }, newQuotedKey)
    const [firstPayment = paymentOf(id)] = [paymentOf(id)]
    const first = await addPayment(firstPayment, { ...keys[0], ...bearer(otherTeam) })
    const replies = await Promise.all(
      keys
        .slice(1)
        .map((key) =>
          untilAnswered(() => addPayment(paymentOf(id), { ...key, ...bearer(otherTeam) })),
        ),
    )
    const rejections = replies.filter(({ status }) => status !== 200)
    expect(rejections).toHaveLength(5)
    for (const reply of rejections)
      expect(reply).toMatchObject({ status: 400, body: { code: 'quota_exceeded' } })
    const retry = await addPayment(firstPayment, { ...keys[0], ...bearer(otherTeam) })
    await platform.db.query("update quota set most = 10000 where kind = 'answered_request'")
    expect(retry.body).toEqual(first.body)
  })
})

function expire() {
  return platform.post('/api/_expire', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
}
