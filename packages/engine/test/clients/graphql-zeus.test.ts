import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { describeClient } from '../support/clients/client-packages.ts'
import { createGeneratingApp, type GeneratingApp } from '../support/clients/generated-client.ts'
import { AS_ADA, AS_ADMIN, BEN, OPEN, SENT, type Shop, startShop } from '../support/clients/shop.ts'

type Headers = Record<string, string>

/** The exports of app/zeus.ts, which has types only after zeus has generated its clients. */
type Program = {
  queriesOf(url: string, headers: Headers): Queries
  pricesOf(url: string, headers: Headers): Promise<unknown>
  mutationsOf(url: string, headers: Headers): Mutations
  customerOf(url: string, headers: Headers): Customer
  subscribeAsVisitor(url: string, next: (rows: unknown) => void): () => void
  subscribe(url: string, headers: Headers, next: (message: unknown) => void): () => unknown
}
type Queries = {
  purchases(state: string, quantity: number): Promise<unknown>
  datesSince(moment: string): Promise<unknown>
}
type Mutations = {
  buy(id: string, customer: string, note: string): Promise<unknown>
  describe(id: number, details: unknown): Promise<unknown>
  refusal(): Promise<unknown>
}
type Customer = { purchases(): Promise<unknown>; write(note: string): Promise<unknown> }

describeClient('graphql-zeus', () => {
  let shop: Shop
  let app: GeneratingApp
  let program: Program
  let queries: Queries
  let mutations: Mutations
  let customer: Customer
  beforeAll(async () => {
    shop = await startShop({ HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'visitor' })
    app = createGeneratingApp('zeus.ts')
    for (const [folder, headers] of Object.entries({ admin: AS_ADMIN, customer: AS_ADA })) {
      const headerOptions = Object.entries(headers).flatMap(([name, value]) => [
        '-h',
        `${name}:${value}`,
      ])
      const options = ['--node', '--esModule', '--subscriptions', 'graphql-ws', ...headerOptions]
      // Version 7 prompts for missing values unless they also follow the two dashes.
      await app.run('zeus', shop.url, folder, ...options, '--', shop.url, folder)
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

  test('a program of zeus has the types of the schemas of admin and a role', async () => {
    expect(await app.typeErrors()).toBe('')
  })

  test('a query of zeus sends a variable and returns rows with related rows', async () => {
    expect(await queries.purchases('sent', 2)).toEqual([
      { name: 'Ada', titles: ['2 Emma', '1 Kind of Blue'], total: 49.95 },
    ])
    expect(await queries.purchases('open', 1)).toEqual([
      { name: 'Ada', titles: ['1 Go'], total: 39 },
      { name: 'Ben', titles: ['3 Middlemarch'], total: 59.7 },
    ])
  })

  test('a scalar of zeus is encoded and decoded by the program', async () => {
    expect(await queries.datesSince('2026-04-02T13:30:00.5+02:00')).toEqual([
      Date.UTC(2026, 3, 2, 11, 30, 0, 500),
      Date.UTC(2026, 3, 3, 12),
    ])
  })

  test('a query of zeus with aliases returns aggregates and a part of JSON', async () => {
    expect(await program.pricesOf(shop.url, AS_ADMIN)).toEqual({
      books: {
        aggregate: { max: { price: 19.9 }, min: { price: 12.5 } },
        nodes: [{ title: 'Emma' }, { title: 'Middlemarch' }],
      },
      go: { title: 'Go', details: 2 },
    })
  })

  test('a mutation of zeus inserts a row with related rows, or updates it', async () => {
    const id = '40000000-0000-4000-8000-000000000004'
    const purchase = { note: 'first', state: 'open', total: 25 }
    expect(await mutations.buy(id, BEN, 'first')).toEqual({ insert_purchase_one: purchase })
    await shop.db.query('delete from purchase_line where purchase_id = $1', [id])
    expect(await mutations.buy(id, BEN, 'second')).toMatchObject({
      insert_purchase_one: { note: 'second' },
    })
  })

  test('a mutation of zeus sends JSON as a variable', async () => {
    const details = { weight: 1.5, languages: ['en', 'de'] }
    expect(await mutations.describe(1, details)).toEqual({
      update_product_by_pk: { details: { pages: 474, ...details } },
    })
  })

  test('a rejected mutation of zeus throws the response', async () => {
    // The generated client logs each error.
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const answer = await mutations.refusal()
    log.mockRestore()
    expect(answer).toEqual({
      errors: [
        {
          message:
            'Check constraint violation. new row for relation "purchase_line" violates check constraint "purchase_line_quantity_check"',
          extensions: { code: 'permission-error', path: '$' },
        },
      ],
    })
  })

  test('with zeus, a role reads and updates the rows that its permissions allow', async () => {
    const [sent, open] = [
      { id: SENT, note: 'a gift' },
      { id: OPEN, note: null },
    ]
    expect(await customer.purchases()).toEqual({ purchase: [sent, open] })
    expect(await customer.write('soon')).toEqual({
      update_purchase: { returning: [{ id: OPEN, note: 'soon' }] },
    })
  })

  test('the subscription of zeus returns the rows and their changes', async () => {
    const next = vi.fn()
    const end = program.subscribeAsVisitor(shop.socketUrl, next)
    const products = (...titles: string[]) => [{ product: titles.map((title) => ({ title })) }]
    await expect.poll(() => next.mock.lastCall).toEqual(products('Go', 'Ludo'))
    await shop.db.query('delete from product where id = 5')
    await expect.poll(() => next.mock.lastCall).toEqual(products('Go'))
    end()
  })

  test('a document of zeus subscribes with the headers of a role', async () => {
    const next = vi.fn()
    const end = program.subscribe(shop.socketUrl, AS_ADA, next)
    const notes = [{ note: 'a gift' }, { note: null }]
    await expect.poll(() => next.mock.lastCall).toEqual([{ data: { purchase: notes } }])
    await shop.db.query("update purchase set note = 'soon'")
    const soon = [{ note: 'soon' }, { note: 'soon' }]
    await expect.poll(() => next.mock.lastCall).toEqual([{ data: { purchase: soon } }])
    await end()
  })
})
