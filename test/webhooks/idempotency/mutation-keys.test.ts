import { describe, expect } from 'vitest'
import {
  addPayment,
  bearer,
  newKey,
  rowsOf,
  send,
} from '../../support/webhooks/idempotency/mutations.ts'
import { paymentOf } from '../../support/webhooks/payments.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { app, platform, setTheScene, team } from '../../support/webhooks/verification-scene.ts'

setTheScene()

const REUSED = {
  status: 422,
  body: { code: 'idempotency_key_reused', attribute: 'idempotency-key' },
}

describe('an idempotency key of a mutation is bound to its request and team', () => {
  test('an idempotency key gets 422 with another mutation', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    await addPayment(payment, key)
    expect(await addPayment({ ...payment, reference: 'other' }, key)).toMatchObject(REUSED)
  })

  test('two teams can use the same idempotency key', async () => {
    const other = await platform.team()
    const id = await platform.app({ team: other })
    const key = newKey()
    await addPayment(paymentOf(app), key)
    const reply = await addPayment(paymentOf(id), { ...key, ...bearer(other) })
    expect(reply).toMatchObject({ status: 200, body: { data: {} } })
    expect(reply.headers.has('idempotent-replayed')).toBe(false)
  })

  test('a revoked API key gets 401 for a mutation that it sent earlier', async () => {
    const keyTeam = await platform.team()
    const [payment, headers] = [paymentOf(await platform.app({ team: keyTeam })), bearer(keyTeam)]
    const key = newKey()
    await addPayment(payment, { ...key, ...headers })
    await platform.db.query('update api_key set is_active = false where id = $1', [keyTeam.keyId])
    expect(await addPayment(payment, { ...key, ...headers })).toMatchObject({ status: 401 })
    expect(await addPayment(payment, { ...key, authorization: 'Bearer x' })).toMatchObject({
      status: 401,
    })
  })

  test('an idempotency key has no effect on a query', async () => {
    const key = newKey()
    const query =
      'query Read { app { id } } mutation Write { delete_redirect(where: {}) { affected_rows } }'
    const first = await send({ query, operationName: 'Read' }, key)
    expect(first.status).toBe(200)
    const newApp = await platform.app({ team })
    const retry = await send({ query, operationName: 'Read' }, key)
    expect(JSON.stringify(retry.body)).toContain(newApp)
    expect(await rowsOf(key)).toEqual([])
  })

  test('a malformed idempotency key of a mutation gets 400', async () => {
    expect(await addPayment(paymentOf(app), { 'idempotency-key': '"' })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', attribute: 'idempotency-key' },
    })
  })

  test('the stored response to a mutation is encrypted', async () => {
    const key = newKey()
    const { body } = await addPayment(paymentOf(app), key)
    const [row] = await rowsOf(key)
    expect(row.is_answered).toBe(true)
    expect(row.answer_encrypted.length).toBeGreaterThan(50)
    for (const text of [
      JSON.stringify(row),
      Buffer.from(row.answer_encrypted, 'base64url').toString(),
    ])
      expect(text).not.toContain(Object(body).data.insert_transaction_one.id)
  })

  test('a retried mutation gets 409 if its stored response cannot be decrypted', async () => {
    const other = await platform.anotherInstance({ SIGNING_KEY_SECRET: 'another secret'.repeat(3) })
    const [payment, key] = [paymentOf(app), newKey()]
    await addPayment(payment, key)
    const retry = await addPayment(payment, key, other)
    await other.stop()
    expect(retry).toMatchObject({ status: 409, body: { code: 'answer_not_kept' } })
  })
})
