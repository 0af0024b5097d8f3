import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hash, insert } from '../../support/webhooks/payments.ts'
import { startShop } from '../../support/webhooks/start-shop.ts'

let shop: Awaited<ReturnType<typeof startShop>>
beforeAll(async () => {
  shop = await startShop()
})
beforeEach(() => shop.tidy())
afterAll(() => shop.stop())

const UPDATE = `mutation ($id: String!, $set: transaction_set_input!) {
  update_transaction_by_pk(pk_columns: { id: $id }, _set: $set) { id }
}`
const DELETE = 'mutation ($id: String!) { delete_transaction_by_pk(id: $id) { id } }'

async function send(query: string, variables: object) {
  const headers = { authorization: `Bearer ${shop.team.apiKey}` }
  return Object((await shop.platform.post('/v1/graphql', { query, variables }, headers)).body)
}

const correct = (id: string, set: object) => send(UPDATE, { id, set })
const remove = (id: string) => send(DELETE, { id })

async function auditOf(id: string) {
  const { rows } = await shop.platform.db.query(
    'select operation, actor_role, changes from audit where subject_id = $1 order by created_at, id',
    [id],
  )
  return rows
}

describe('a pending payment can be corrected and removed', () => {
  test('a corrected payment is read from the chain again, and the audit trail has the correction', async () => {
    const paid = await shop.pay()
    const id = await shop.enter({ transaction_hash: hash() })
    await shop.refresh()
    const capitals = `0x${paid.slice(2).toUpperCase()}`
    expect(await correct(id, { transaction_hash: capitals })).toEqual({
      data: { update_transaction_by_pk: { id } },
    })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
    expect(await auditOf(id)).toEqual([
      {
        operation: 'update',
        actor_role: 'api_key',
        changes: { transaction_hash: { old: expect.stringMatching(/^0x/), new: paid } },
      },
    ])
  })

  test('the result of a lease from before the correction is ignored', async () => {
    const id = await shop.enter({})
    const { rows } = await shop.platform.db.query(
      'select id, leases, "to" from lease_transaction($1, 0)',
      [id],
    )
    await correct(id, { transaction_hash: hash() })
    const sighting = { ...rows[0], from: '', sender: '', is_final: false, is_known: true }
    const stored = await shop.platform.db.query('select id from store_sightings($1::jsonb)', [
      JSON.stringify([{ ...sighting, transaction_status: 'mined', failure_reason: null }]),
    ])
    expect(stored.rows).toEqual([])
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })

  test('a removed payment frees its reference and its transaction, and the audit trail keeps its fields', async () => {
    const fields = { reference: 'order-1', transaction_hash: hash() }
    const id = await shop.enter(fields)
    expect(await remove(id)).toEqual({ data: { delete_transaction_by_pk: { id } } })
    const [record] = await auditOf(id)
    expect(record).toMatchObject({
      operation: 'delete',
      actor_role: 'api_key',
      changes: {
        reference: { old: 'order-1' },
        app_id: { old: shop.app },
        token: { old: 'USDCE' },
      },
    })
    expect(await shop.enter(fields)).toMatch(/^txn_/)
  })

  test.each([
    ['mined', 'mined'],
    ['mined, but its block was dropped', 'pending'],
    ['failed', 'failed'],
  ])('a payment that was %s can be neither corrected nor removed', async (_name, status) => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    if (status !== 'failed') {
      await shop.mine(1)
      await shop.refresh()
      expect(await shop.row(id)).toMatchObject({ status: 'mined' })
    }
    const reason = status === 'failed' ? 'not_found' : null
    await shop.platform.db.query(
      `update transaction set transaction_status = $2, failure_reason = $3 where id = $1`,
      [id, status, reason],
    )
    expect(await correct(id, { token_amount: '1' })).toEqual({
      data: { update_transaction_by_pk: null },
    })
    expect(await remove(id)).toEqual({ data: { delete_transaction_by_pk: null } })
    expect(await auditOf(id)).toEqual([])
  })

  test('a correction keeps the rules of the columns, the token and the reference', async () => {
    const id = await shop.enter({ reference: 'order-2' })
    await shop.enter({ reference: 'order-3' })
    const refusal = async (set: object) => (await correct(id, set)).errors[0].message
    expect(await refusal({ token: 'DOGE' })).toMatch(/^Check constraint violation. token must be/)
    expect(await refusal({ chain: 'nowhere' })).toMatch('no payments are read from this chain')
    expect(await refusal({ reference: 'order-3' })).toMatch('transaction_app_id_reference_key')
    expect(await refusal({ transaction_hash: '0x12' })).toMatch('transaction_hash must be 0x')
    for (const column of ['app_id', 'transaction_status', 'type', 'was_mined', 'is_final'])
      expect(await refusal({ [column]: 'mined' })).toMatch(column)
  })

  test('another team can neither correct nor remove a payment', async () => {
    const id = await shop.enter({})
    const stranger = await shop.platform.team()
    const headers = { authorization: `Bearer ${stranger.apiKey}` }
    for (const query of [
      UPDATE.replace(
        '$set: transaction_set_input!',
        '$set: transaction_set_input = { token_amount: "1" }',
      ),
      DELETE,
    ]) {
      const { body } = await shop.platform.post(
        '/v1/graphql',
        { query, variables: { id } },
        headers,
      )
      expect(Object.values(Object(body).data)).toEqual([null])
    }
    expect(await shop.row(id)).toMatchObject({ status: 'pending' })
  })

  test('a transaction that is no payment can be removed, and not corrected', async () => {
    const id = await insert(shop.platform, shop.team.apiKey, {
      app_id: shop.app,
      type: 'transaction',
      reference: 'sent-1',
      chain: 'local',
      transaction_hash: await shop.pay(),
    })
    await shop.refresh()
    expect(await correct(id, { reference: 'sent-2' })).toEqual({
      data: { update_transaction_by_pk: null },
    })
    expect(await remove(id)).toEqual({ data: { delete_transaction_by_pk: { id } } })
  })
})

test.each(['DOGE', 'CONSTRUCTOR'])(
  'a payment in the token %s, which the configuration no longer has, fails',
  async (token) => {
    const id = await shop.enter({ transaction_hash: await shop.pay() })
    await shop.platform.db.query('update transaction set token = $2 where id = $1', [id, token])
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'failed', reason: 'unknown_token' })
  },
)
