import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hash, insert, paymentOf, query } from '../../support/webhooks/payments.ts'
import {
  BUYER,
  CONFIRMATIONS,
  SHOP,
  type Shop,
  STRANGER,
  startShop,
} from '../../support/webhooks/start-shop.ts'

// A transfer pays for one reference of a team, and no other team can block the team that is paid.

type Team = Shop['team']

let shop: Shop
let stranger: Team
let strangersApp: string

beforeAll(async () => {
  shop = await startShop()
  stranger = await shop.platform.team()
  strangersApp = await shop.platform.app({ team: stranger })
})
afterAll(() => shop.stop())
afterEach(() => shop.tidy())

const REJECTED = { errors: [{ extensions: { code: 'constraint-violation' } }] }

function addPaymentRaw(fields: object, { apiKey }: Team = shop.team) {
  return insert.raw(shop.platform, apiKey, { ...paymentOf(shop.app), to: SHOP, ...fields })
}

async function addPaymentAsStranger(fields: object): Promise<string> {
  const payment = { ...paymentOf(strangersApp), to: SHOP, ...fields }
  return insert(shop.platform, stranger.apiKey, payment)
}

/** Lists the statuses and failure reasons of all transactions. */
async function statuses() {
  const { rows } = await shop.platform.db.query(
    'select transaction_status as status, failure_reason as reason from transaction order by 1, 2',
  )
  return rows
}

describe('a second reference for the same transfer is rejected within a team', () => {
  test.each<[string, { isUpperCase?: boolean } & Record<string, unknown>]>([
    ['with the same fields', {}],
    ['for the same hash in upper case', { isUpperCase: true }],
    ['for the same receiver in lower case', { to: SHOP.toLowerCase() }],
    ['for another amount', { token_amount: '1' }],
    ['for another token', { token: 'WLD' }],
  ])('a second reference of a team %s is rejected', async (_name, { isUpperCase, ...fields }) => {
    const transaction_hash = hash()
    await shop.enter({ transaction_hash })
    const repeatedHash = isUpperCase
      ? `0x${transaction_hash.slice(2).toUpperCase()}`
      : transaction_hash
    expect(await addPaymentRaw({ transaction_hash: repeatedHash, ...fields })).toMatchObject(
      REJECTED,
    )
  })

  test('a second reference for another app of the team is rejected', async () => {
    const transaction_hash = hash()
    await shop.enter({ transaction_hash })
    const app_id = await shop.platform.app({ team: shop.team })
    expect(await addPaymentRaw({ app_id, transaction_hash })).toMatchObject(REJECTED)
  })

  test('a second reference for the same expected sender in lower case is rejected', async () => {
    const transaction_hash = hash()
    await shop.enter({ transaction_hash, expected_from: BUYER })
    const secondPayment = { transaction_hash, expected_from: BUYER.toLowerCase() }
    expect(await addPaymentRaw(secondPayment)).toMatchObject(REJECTED)
  })

  test('a second reference for a transaction that is not a payment is rejected', async () => {
    const other = { type: 'transaction', token: '', token_amount: '', to: '' }
    const transaction_hash = await shop.pay()
    await shop.enter({ ...other, transaction_hash })
    expect(await addPaymentRaw({ ...other, transaction_hash })).toMatchObject(REJECTED)
    await shop.mine(1)
    await shop.refresh()
    expect(await addPaymentRaw({ ...other, transaction_hash })).toMatchObject(REJECTED)
  })

  test('only one of twenty simultaneous references for a transfer is accepted', async () => {
    const transaction_hash = hash()
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => addPaymentRaw({ transaction_hash })),
    )
    expect(replies.filter(({ data }) => data)).toHaveLength(1)
  })
})

describe('a payment cannot be blocked by other rows', () => {
  test('a payment cannot be blocked by another team with the same or another receiver', async () => {
    const transaction_hash = await shop.pay()
    const otherTeamIds = [
      await addPaymentAsStranger({ transaction_hash }),
      await addPaymentAsStranger({ transaction_hash, to: STRANGER }),
    ]
    const id = await shop.enter({ transaction_hash })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
    expect(await shop.row(otherTeamIds[1] ?? '')).toMatchObject({ reason: 'no_such_transfer' })
  })

  test('a payment cannot be blocked by a failed row of the same team', async () => {
    const transaction_hash = await shop.pay()
    await shop.enter({ transaction_hash, token_amount: '1000001' })
    await shop.mine(1)
    await shop.refresh()
    expect(await statuses()).toEqual([{ status: 'failed', reason: 'no_such_transfer' }])
    const id = await shop.enter({ transaction_hash })
    await shop.refresh()
    expect(await shop.row(id)).toMatchObject({ status: 'mined' })
    const statusRequest = { id: transaction_hash, app: shop.app, key: shop.team.apiKey }
    const statusReply = await query(shop.platform, statusRequest)
    expect(statusReply.body).toMatchObject({ transaction_status: 'mined' })
  })

  test("a payment cannot be blocked by another customer who adds the buyer's hash first", async () => {
    const transaction_hash = await shop.pay()
    const thief = await shop.enter({ transaction_hash, expected_from: STRANGER })
    const buyer = await shop.enter({ transaction_hash, expected_from: BUYER })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(thief)).toMatchObject({ status: 'failed', reason: 'wrong_sender' })
    expect(await shop.row(buyer)).toMatchObject({ status: 'mined' })
  })
})

describe('a transfer never pays twice', () => {
  test('a transfer pays only one of two rows that wait for the same transfer', async () => {
    const transaction_hash = await shop.pay()
    await shop.enter({ transaction_hash, expected_from: BUYER })
    await shop.enter({ transaction_hash })
    await shop.mine(1)
    await shop.refresh()
    const expectedStatuses = [
      { status: 'failed', reason: 'already_used' },
      { status: 'mined', reason: null },
    ]
    expect(await statuses()).toEqual(expectedStatuses)
    await shop.mine(CONFIRMATIONS)
    await shop.refresh()
    expect(await statuses()).toEqual(expectedStatuses)
    expect(await shop.refresh(), 'both rows are final').toMatchObject({ mined: 0, failed: 0 })
  })

  test('a transfer pays only one of two rows that are read at the same moment', async () => {
    const pairs: string[][] = []
    for (let i = 0; i < 10; i++) {
      const transaction_hash = await shop.pay()
      const senders = [BUYER, null]
      pairs.push(
        await Promise.all(
          senders.map((expected_from) => shop.enter({ transaction_hash, expected_from })),
        ),
      )
    }
    await shop.mine(1)
    await Promise.all(pairs.flat().map((id) => shop.query(id)))
    await shop.refresh()
    for (const pair of pairs) {
      const rows = await Promise.all(pair.map((id) => shop.row(id)))
      expect(rows.map(({ status }) => status).toSorted()).toEqual(['failed', 'mined'])
    }
  })

  test('a transfer pays at most one of two rows if a failed payment is added again and the chain reorganizes', async () => {
    const transaction_hash = await shop.pay({ units: 10n ** 18n })
    const first = await shop.enter({ transaction_hash })
    await shop.mine(1)
    await shop.refresh()
    expect(await shop.row(first)).toMatchObject({ status: 'failed', reason: 'reverted' })
    const second = await shop.enter({ transaction_hash })
    await shop.rpc('anvil_rollback', 1)
    await shop.refresh()
    expect(await shop.row(first)).toMatchObject({ status: 'failed', reason: 'already_used' })
    expect(await shop.row(second)).toMatchObject({ status: 'pending' })
  })

  test('a row that another row keeps from being mined is final only once the other row is final', async () => {
    const transaction_hash = hash()
    const set = (id: string, values: string) =>
      shop.platform.db.query(`update transaction set ${values} where id = $1`, [id])
    const readFinal = async (id: string) => {
      const { rows } = await shop.platform.db.query(
        'select transaction_status as status, is_final from transaction where id = $1',
        [id],
      )
      return rows[0]
    }
    const mined = "transaction_status = 'mined', failure_reason = null, is_final = true"
    const first = await shop.enter({ transaction_hash })
    await set(first, "transaction_status = 'failed', failure_reason = 'replaced'")
    const second = await shop.enter({ transaction_hash })
    await set(first, mined)
    expect(await readFinal(first)).toEqual({ status: 'failed', is_final: false })
    await set(
      second,
      "transaction_status = 'failed', failure_reason = 'no_such_transfer', is_final = true",
    )
    await set(first, mined)
    expect(await readFinal(first)).toEqual({ status: 'mined', is_final: true })
  })

  test('the database rejects a second mined row for a transfer, even without its triggers', async () => {
    const transaction_hash = await shop.pay()
    await shop.enter({ transaction_hash, expected_from: BUYER })
    await shop.enter({ transaction_hash })
    await shop.platform.db.query("update transaction set transaction_status = 'mined'")
    expect(await statuses()).toEqual([
      { status: 'failed', reason: 'already_used' },
      { status: 'mined', reason: null },
    ])
    await shop.platform.db.query('begin')
    await shop.platform.db.query('set local session_replication_role = replica')
    await expect(
      shop.platform.db.query(
        "update transaction set transaction_status = 'mined', failure_reason = null",
      ),
    ).rejects.toMatchObject({ code: '23505' })
    await shop.platform.db.query('rollback')
  })
})
