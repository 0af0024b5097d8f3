import { describe, expect } from 'vitest'
import { sendAndBreak } from '../../support/webhooks/broken-connection.ts'
import {
  addPayment,
  ageAnswer,
  bearer,
  createAddRequest,
  type Headers,
  newKey,
  rowsOf,
  STILL_RUNNING,
  send,
  untilAnswered,
} from '../../support/webhooks/idempotency/mutations.ts'
import { paymentOf } from '../../support/webhooks/payments.ts'
import { peopleOf, someoneWaits } from '../../support/webhooks/people.ts'
import { test } from '../../support/webhooks/platform-test.ts'
import { serviceProcess } from '../../support/webhooks/service-process.ts'
import { app, platform, setTheScene } from '../../support/webhooks/verification-scene.ts'

setTheScene()

const RENAME = `mutation ($app: String!, $name: String!) {
  update_app_by_pk(pk_columns: {id: $app}, _set: {name: $name}) { name updated_at }
}`

const REUSED = {
  status: 422,
  body: { code: 'idempotency_key_reused', attribute: 'idempotency-key' },
}

describe('a retried mutation with an idempotency key runs once', () => {
  test('a retried mutation gets the first response and does not run again', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    const first = await addPayment(payment, key)
    expect(first).toMatchObject({ status: 200, body: { data: { insert_transaction_one: {} } } })
    expect(first.headers.get('idempotent-replayed')).toBeNull()
    for (let i = 0; i < 2; i++) {
      const retry = await addPayment(payment, key)
      expect([retry.status, retry.body]).toEqual([200, first.body])
      expect(retry.headers.get('idempotent-replayed')).toBe('true')
      expect(retry.headers.get('content-type')).toBe(first.headers.get('content-type'))
    }
  })

  test('a retried mutation succeeds whenever the first connection broke', async () => {
    const payments = Array.from({ length: 40 }, (_, index) => ({
      payment: paymentOf(app),
      headers: { ...bearer(), ...newKey() },
      afterMs: (index * 50) / 40,
    }))
    await Promise.all(
      payments.map(({ payment, ...timing }) =>
        sendAndBreak(`${platform.baseUrl}/v1/graphql`, {
          body: createAddRequest(payment),
          ...timing,
        }),
      ),
    )
    const replies = await Promise.all(
      payments.map(({ payment, headers }) => untilAnswered(() => addPayment(payment, headers))),
    )
    for (const reply of replies)
      expect(reply).toMatchObject({ status: 200, body: { data: { insert_transaction_one: {} } } })
    const replayed = replies.filter(({ headers }) => headers.has('idempotent-replayed'))
    expect(replayed.length).toBeGreaterThan(0)
  })

  test('twenty simultaneous mutations with one key to two instances run once', async () => {
    const other = await platform.anotherInstance()
    const key = newKey()
    const variables = { app, name: 'At once' }
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        untilAnswered(() => send({ query: RENAME, variables }, key, index % 2 ? other : platform)),
      ),
    )
    await other.stop()
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(replies.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1)
  })

  test('a retried mutation gets 409 while the first request runs', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    await platform.db.query('begin')
    await platform.db.query('lock table transaction in exclusive mode')
    const first = addPayment(payment, key)
    await someoneWaits(platform, 'transaction')
    const concurrentReply = await addPayment(payment, key)
    expect(concurrentReply).toMatchObject(STILL_RUNNING)
    expect(concurrentReply.headers.get('retry-after')).toBe('1')
    expect(await addPayment(paymentOf(app), key)).toMatchObject(REUSED)
    await platform.db.query('commit')
    const { body } = await first
    expect((await addPayment(payment, key)).body).toEqual(body)
  })

  test('a retried batch of mutations gets the first response', async () => {
    const [batch, key] = [
      [createAddRequest(paymentOf(app)), createAddRequest(paymentOf(app))],
      newKey(),
    ]
    const first = await send(batch, key)
    expect(first.body).toHaveLength(2)
    expect((await send(batch, key)).body).toEqual(first.body)
  })

  test('a user can retry a mutation with another login token', async () => {
    const { email, team: teamId } = await peopleOf(platform)()
    const query = `mutation { insert_app_one(object: {name: "A", team_id: "${teamId}"}) { id } }`
    const [key, token] = [newKey(), await tokenOf(email)]
    const first = await send({ query }, { ...key, ...token })
    expect(first).toMatchObject({ status: 200, body: { data: { insert_app_one: {} } } })
    const other = await tokenOf(email)
    expect(other).not.toEqual(token)
    expect((await send({ query }, { ...key, ...other })).body).toEqual(first.body)
  })

  test('a mutation that failed can be retried with the same key', async () => {
    const [payment, key] = [paymentOf(app), newKey()]
    const failure = await addPayment({ ...payment, token_amount: '-1' }, key)
    expect(Object(failure.body).errors).toHaveLength(1)
    expect(await rowsOf(key)).toEqual([])
    expect(await addPayment(payment, key)).toMatchObject({ body: { data: {} } })
  })

  test('a retried mutation gets the result of a first request that timed out', async () => {
    const hastyInstance = await platform.anotherInstance({ HASURA_TIMEOUT_MS: '1000' })
    const [payment, key] = [paymentOf(app), newKey()]
    await platform.db.query('begin')
    await platform.db.query('lock table transaction in exclusive mode')
    expect(await addPayment(payment, key, hastyInstance)).toMatchObject({ status: 503 })
    expect(await addPayment(payment, key)).toMatchObject(STILL_RUNNING)
    await platform.db.query('commit')
    const retry = await untilAnswered(() => addPayment(payment, key))
    expect(retry).toMatchObject({ body: { data: { insert_transaction_one: {} } } })
    expect(retry.headers.get('idempotent-replayed')).toBe('true')
    await hastyInstance.stop()
  })

  test('a retried mutation with a long response gets 409 and does not run again', async () => {
    const key = newKey()
    const objects = Array.from({ length: 150 }, () => paymentOf(app))
    const query = `mutation ($objects: [transaction_insert_input!]!) {
      insert_transaction(objects: $objects) { returning { id transaction_hash } }
    }`
    const first = await send({ query, variables: { objects } }, key)
    expect(Object(first.body).data.insert_transaction.returning).toHaveLength(150)
    expect(await send({ query, variables: { objects } }, key)).toMatchObject({
      status: 409,
      body: { code: 'answer_not_kept' },
    })
  })
})

test('a mutation without a key runs each time', async () => {
  const payment = paymentOf(app)
  expect(await addPayment(payment, {})).toMatchObject({ body: { data: {} } })
  expect(Object((await addPayment(payment, {})).body).errors).toHaveLength(1)
})

test('a mutation that was running in a killed service can be retried after a minute', async () => {
  const service = await serviceProcess(platform)
  const [payment, key] = [paymentOf(app), newKey()]
  await platform.db.query('begin')
  await platform.db.query('lock table transaction in exclusive mode')
  const lostReply = addPayment(payment, key, service).catch(() => null)
  await someoneWaits(platform, 'transaction')
  await service.kill()
  await platform.db.query('commit')
  expect(await lostReply).toBeNull()
  expect(await addPayment(payment, key)).toMatchObject(STILL_RUNNING)
  await ageAnswer(key, '61 seconds')
  const lateRetry = await addPayment(payment, key)
  const { data, errors } = Object(lateRetry.body)
  // The mutation may have run before the service died; then its reference is taken.
  expect(data?.insert_transaction_one.id ?? errors[0].extensions.code).toMatch(
    /^(txn_[0-9a-f]{32}|constraint-violation)$/,
  )
  const { rowCount } = await platform.db.query('select from transaction where reference = $1', [
    payment.reference,
  ])
  expect(rowCount).toBe(1)
})

async function tokenOf(email: string): Promise<Headers> {
  const { body } = await platform.post('/api/v1/login', { email, password: 'difference' })
  return { authorization: `Bearer ${Object(body).token}` }
}
