import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { describeClient } from '../support/clients/client-packages.ts'
import { createGeneratingApp, type GeneratingApp } from '../support/clients/generated-client.ts'
import {
  AS_ADA,
  AS_ADMIN,
  BEN,
  BENS,
  OPEN,
  SENT,
  type Shop,
  startShop,
} from '../support/clients/shop.ts'

type Headers = Record<string, string>

/** The exports of app/genql.ts, which has types only after genql has generated its clients. */
type Program = {
  queriesOf(url: string, headers: Headers): Queries
  mutationsOf(url: string, headers: Headers): Mutations
  customerOf(url: string, headers: Headers): Customer
  subscribe(url: string, headers: Headers, next: (message: unknown) => void): () => unknown
}
type Queries = {
  purchases(where: object): Promise<unknown>
  product(id: number): Promise<unknown>
  bookPrices(): Promise<unknown>
  titles(ids: number[]): Promise<unknown>
}
type Mutations = {
  buy(id: string, customer: string, products: number[]): Promise<unknown>
  refusal(email: string): Promise<unknown>
}
type Customer = {
  purchases(): Promise<unknown>
  write(set: object): Promise<unknown>
  sell(): Promise<unknown>
}

describeClient('@genql/cli', () => {
  let shop: Shop
  let app: GeneratingApp
  let program: Program
  let queries: Queries
  let mutations: Mutations
  let customer: Customer
  beforeAll(async () => {
    shop = await startShop()
    app = createGeneratingApp('genql.ts')
    for (const [folder, headers] of Object.entries({ admin: AS_ADMIN, customer: AS_ADA })) {
      const headerOptions = Object.entries(headers).flatMap(([name, value]) => [
        '-H',
        `${name}: ${value}`,
      ])
      await app.run('genql', '--endpoint', shop.url, ...headerOptions, '--output', folder)
    }
    program = await app.load()
    queries = program.queriesOf(shop.url, AS_ADMIN)
    mutations = program.mutationsOf(shop.url, AS_ADMIN)
    customer = program.customerOf(shop.url, AS_ADA)
  })
  beforeEach(() => shop.reset())
  afterAll(async () => {
    app.remove()
    await shop.stop()
  })

  test('a program of genql has the types of the schemas of admin and a role', async () => {
    expect(await app.typeErrors()).toBe('')
  })

  test('a query of genql sends variables and returns rows with related rows', async () => {
    expect(await queries.purchases({ customer: { name: { _like: 'A%' } } })).toEqual([
      { name: 'Ada', titles: ['Kind of Blue', 'Emma'], total: 49.95 },
      { name: 'Ada', titles: ['Go'], total: 39 },
    ])
    expect(await queries.purchases({ state: { _eq: 'open' }, total: { _gt: 50 } })).toEqual([
      { name: 'Ben', titles: ['Middlemarch'], total: 59.7 },
    ])
  })

  test('a query by key of genql returns every column', async () => {
    const emma = { id: 1, title: 'Emma', kind: 'book', price: 12.5, details: { pages: 474 } }
    expect(await queries.product(1)).toEqual({
      product_by_pk: { ...emma, withdrawn_at: null, __typename: 'product' },
    })
    expect(await queries.product(99)).toEqual({ product_by_pk: null })
  })

  test('a query of genql returns aggregates', async () => {
    expect(await queries.bookPrices()).toEqual({
      product_aggregate: {
        aggregate: { count: 2, max: { price: 19.9 } },
        nodes: [{ id: 4 }, { id: 1 }],
      },
    })
  })

  test('queries that genql sends as a batch return their rows', async () => {
    expect(await queries.titles([3, 1, 99])).toEqual(['Kind of Blue', 'Emma', undefined])
  })

  test('a mutation of genql inserts a row with related rows, or updates it', async () => {
    const id = '40000000-0000-4000-8000-000000000004'
    expect(await mutations.buy(id, BEN, [1, 2])).toEqual({
      insert_purchase_one: {
        state: 'sent',
        lines_aggregate: { aggregate: { count: 2, sum: { quantity: 2 } } },
      },
    })
    expect(await mutations.buy(id, BEN, [3])).toMatchObject({
      insert_purchase_one: { lines_aggregate: { aggregate: { count: 3 } } },
    })
  })

  test('a rejected mutation of genql throws the errors of the response', async () => {
    expect(await mutations.refusal('ada@example.com')).toEqual([
      {
        message:
          'Uniqueness violation. duplicate key value violates unique constraint "customer_email_key"',
        extensions: {
          code: 'constraint-violation',
          path: '$.selectionSet.insert_customer_one.args.object',
        },
      },
    ])
  })

  test('with genql, a role reads and updates the rows that its permissions allow', async () => {
    const sentPurchase = { id: SENT, note: 'a gift', state: 'sent' }
    expect(await customer.purchases()).toEqual({
      purchase: [sentPurchase, { id: OPEN, note: null, state: 'open' }],
    })
    expect(await customer.write({ note: 'soon' })).toEqual({
      update_purchase: { returning: [{ id: OPEN, note: 'soon', state: 'open' }] },
    })
  })

  test('a subscription of genql returns the rows and their changes', async () => {
    const next = vi.fn()
    const end = program.subscribe(shop.socketUrl, AS_ADMIN, next)
    const notes = (...of: (string | null)[]) => [
      { data: { purchase: of.map((note) => ({ note })) } },
    ]
    await expect.poll(() => next.mock.lastCall).toEqual(notes(null, null))
    await shop.db.query("update purchase set note = 'soon' where id = $1", [BENS])
    await expect.poll(() => next.mock.lastCall).toEqual(notes(null, 'soon'))
    await end()
  })
})
