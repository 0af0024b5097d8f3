import { describe, expect } from 'vitest'
import { app, platform, setTheScene, stranger, team } from '../../support/webhooks/payment-scene.ts'
import { hash, insert, paymentOf, query } from '../../support/webhooks/payments.ts'
import { test } from '../../support/webhooks/platform-test.ts'

setTheScene()

const LENGTH = 'must have 1 to 128 characters'
const HASH = 'must be 0x and 64 hex digits'
const INTEGER = 'must be a positive integer as text, with 6 decimals'
const SENDER = 'must be 0x and 40 hex digits, or null'

describe('an app adds payments and transactions', () => {
  test('a new payment is pending', async () => {
    const payment = paymentOf(app)
    const { type: _type, ...expectedFields } = payment
    const id = await insert(platform, team.apiKey, payment)
    expect(id).toMatch(/^txn_[0-9a-f]{32}$/)
    expect(await query(platform, { id, app, key: team.apiKey })).toMatchObject({
      status: 200,
      body: {
        ...expectedFields,
        transaction_status: 'pending',
        from: '',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.?\d*\+00:00$/),
      },
    })
  })

  test('a transaction needs no token, amount or receiver', async () => {
    const { reference, transaction_hash } = paymentOf(app)
    const id = await insert(platform, team.apiKey, {
      app_id: app,
      type: 'transaction',
      chain: 'local',
      reference,
      transaction_hash,
    })
    const reply = await query(platform, { id, app, key: team.apiKey, type: 'transaction' })
    expect(reply.body).toMatchObject({ reference, token: '', token_amount: '', to: '' })
  })

  test.each([
    ['a token', { token: 'USDCE' }],
    ['an amount', { token_amount: '1' }],
    ['a receiver', { to: paymentOf('').to }],
  ])(
    'a transaction that is not a payment is rejected with %s, because this field is only compared for payments',
    async (_name, fields) => {
      const other = { type: 'transaction', token: '', token_amount: '', to: '', ...fields }
      const rejection = await insert.raw(platform, team.apiKey, { ...paymentOf(app), ...other })
      expect(rejection).toMatchObject({ errors: [{ extensions: { code: 'permission-error' } }] })
    },
  )

  test.each([
    ['without a reference', { reference: '' }, `reference ${LENGTH}; got an empty text`],
    ['with half a hash', { transaction_hash: '0x1234' }, `transaction_hash ${HASH}; got 0x1234`],
    ['with half an id', { transaction_id: '0x1234' }, `transaction_id ${HASH}; got 0x1234`],
    ['with a fractional amount', { token_amount: '1.5' }, `token_amount ${INTEGER}; got 1.5`],
    ['with a negative amount', { token_amount: '-1' }, `token_amount ${INTEGER}; got -1`],
    ['with an amount in hex', { token_amount: '0x10' }, `token_amount ${INTEGER}; got 0x10`],
    ['of zero', { token_amount: '0' }, `token_amount ${INTEGER}; got 0`],
    ['with a leading zero', { token_amount: '01' }, `token_amount ${INTEGER}; got 01`],
    ['without an amount', { token_amount: '' }, 'a payment must have token, token_amount and to'],
    ['to a name', { to: 'alice.eth' }, 'to must be 0x and 40 hex digits; got alice.eth'],
    ['from a name', { expected_from: 'alice.eth' }, `expected_from ${SENDER}; got alice.eth`],
    ['from an empty text', { expected_from: '' }, `expected_from ${SENDER}; got an empty text`],
    ['in a word', { token: 'usdc' }, 'token must be a symbol, such as USDCE; got usdc'],
    ['without a token', { token: '' }, 'a payment must have token, token_amount and to'],
    ['of another type', { type: 'gift' }, 'type must be payment or transaction; got gift'],
  ])(
    'a payment %s is rejected, and the message names the field and its rule',
    async (_name, fields, message) => {
      const rejection = await insert.raw(platform, team.apiKey, { ...paymentOf(app), ...fields })
      expect(rejection).toMatchObject({
        errors: [
          { message: expect.stringContaining(message), extensions: { code: 'permission-error' } },
        ],
      })
    },
  )

  test('a transaction_id of MiniKit is unique in an app, and other apps do not matter', async () => {
    const transaction_id = hash()
    await insert(platform, team.apiKey, { ...paymentOf(app), transaction_id })
    expect(
      await insert.raw(platform, team.apiKey, { ...paymentOf(app), transaction_id }),
    ).toMatchObject({ errors: [{ extensions: { code: 'constraint-violation' } }] })
    for (const owner of [team, stranger]) {
      const otherApp = await platform.app({ team: owner })
      const id = await insert(platform, owner.apiKey, { ...paymentOf(otherApp), transaction_id })
      expect(id).toMatch(/^txn_/)
    }
  })

  test.each([
    'transaction_status',
    'from',
    'sender',
    'timestamp',
    'block_timestamp',
    'failure_reason',
    'is_final',
    'team_id',
    'id',
  ])('an app cannot set the column %s of a payment', async (column) => {
    const rejection = await insert.raw(platform, team.apiKey, {
      ...paymentOf(app),
      [column]: column === 'is_final' ? true : 'mined',
    })
    expect(rejection).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] })
  })

  test('a payment to the app of another team is rejected', async () => {
    const rejection = await insert.raw(platform, stranger.apiKey, paymentOf(app))
    expect(rejection).toMatchObject({ errors: [{ extensions: { code: 'permission-error' } }] })
  })

  test('a reference is unique in an app, but another app may have the same', async () => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    const secondPayment = { ...payment, transaction_hash: hash() }
    expect(await insert.raw(platform, team.apiKey, secondPayment)).toMatchObject({
      errors: [{ extensions: { code: 'constraint-violation' } }],
    })
    const other = await platform.app({ team: stranger })
    await insert(platform, stranger.apiKey, { ...secondPayment, app_id: other })
  })

  test('a team cannot read the payments of another team', async () => {
    const payment = paymentOf(app)
    await insert(platform, team.apiKey, payment)
    const readTransactions = (apiKey: string) =>
      platform.post(
        '/v1/graphql',
        {
          query: `{ transaction(where: {reference: {_eq: "${payment.reference}"}}) { reference } }`,
        },
        { authorization: `Bearer ${apiKey}` },
      )
    expect((await readTransactions(team.apiKey)).body).toEqual({
      data: { transaction: [{ reference: payment.reference }] },
    })
    expect((await readTransactions(stranger.apiKey)).body).toEqual({ data: { transaction: [] } })
  })
})
