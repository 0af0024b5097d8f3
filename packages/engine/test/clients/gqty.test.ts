import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeClient } from '../support/clients/client-packages.ts'
import { createGeneratingApp, type GeneratingApp } from '../support/clients/generated-client.ts'
import { AS_ADA, AS_ADMIN, BEN, OPEN, SENT, type Shop, startShop } from '../support/clients/shop.ts'

type Headers = Record<string, string>

/** The exports of app/gqty.ts, which has types only after gqty has generated its clients. */
type Program = {
  queriesOf(url: string, headers: Headers): Queries
  titlesForVisitor(): Promise<unknown>
  mutationsOf(url: string, headers: Headers): Mutations
  customerOf(url: string, headers: Headers): Customer
}
type Queries = {
  purchases(where: object): Promise<unknown>
  product(id: number): Promise<unknown>
  prices(): Promise<unknown>
}
type Mutations = {
  buy(id: string, customer: string, note: string): Promise<unknown>
  describe(id: number, details: unknown): Promise<unknown>
  refusal(): Promise<unknown>
}
type Customer = {
  purchases(): Promise<unknown>
  write(note: string): Promise<unknown>
  notes(): AsyncIterableIterator<unknown>
}

describeClient('gqty', () => {
  let shop: Shop
  let app: GeneratingApp
  let program: Program
  let queries: Queries
  let mutations: Mutations
  let customer: Customer
  beforeAll(async () => {
    shop = await startShop({ HASURA_GRAPHQL_UNAUTHORIZED_ROLE: 'visitor' })
    app = createGeneratingApp('gqty.ts')
    const callers = { admin: AS_ADMIN, customer: AS_ADA, visitor: {} }
    for (const [folder, headers] of Object.entries(callers)) {
      const headerOptions = Object.entries(headers).flatMap(([name, value]) => [
        '-H',
        `${name}: ${value}`,
      ])
      const options = [
        '--typescript',
        '--subscriptions',
        'graphql-ws',
        '--no-install',
        ...headerOptions,
      ]
      await app.run('gqty', shop.url, ...options, '--target', `${folder}/index.ts`)
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

  test('a program of gqty has the types of the schemas of admin and a role', async () => {
    expect(await app.typeErrors()).toBe('')
  })

  test('a query of gqty sends variables and returns rows with related rows', async () => {
    expect(await queries.purchases({ customer: { name: { _like: 'A%' } } })).toEqual([
      { name: 'Ada', titles: ['Emma', 'Kind of Blue'], total: 49.95 },
      { name: 'Ada', titles: ['Go'], total: 39 },
    ])
    expect(await queries.purchases({ state: { _eq: 'open' }, total: { _gt: 50 } })).toEqual([
      { name: 'Ben', titles: ['Middlemarch'], total: 59.7 },
    ])
  })

  test('a query of gqty returns a row by key and aggregates', async () => {
    const emma = { title: 'Emma', kind: 'book', details: { pages: 474 } }
    expect(await queries.product(1)).toEqual(emma)
    expect(await queries.product(99)).toBeNull()
    expect(await queries.prices()).toEqual({ count: 2, highest: 19.9 })
  })

  test('the unchanged client of gqty queries without headers', async () => {
    expect(await program.titlesForVisitor()).toEqual([
      'Emma',
      'Go',
      'Kind of Blue',
      'Middlemarch',
      'Ludo',
    ])
  })

  test('a mutation of gqty inserts a row with related rows, or updates it', async () => {
    const id = '40000000-0000-4000-8000-000000000004'
    const purchase = { note: 'first', state: 'open', total: 25 }
    expect(await mutations.buy(id, BEN, 'first')).toEqual(purchase)
    await shop.db.query('delete from purchase_line where purchase_id = $1', [id])
    expect(await mutations.buy(id, BEN, 'second')).toMatchObject({ note: 'second' })
  })

  test('a mutation of gqty sends JSON', async () => {
    const details = { weight: 1.5, languages: ['en', 'de'] }
    expect(await mutations.describe(1, details)).toEqual({ pages: 474, ...details })
  })

  test('a rejected mutation of gqty throws the errors of the response', async () => {
    expect(await mutations.refusal()).toMatchObject([
      {
        message:
          'Check constraint violation. new row for relation "purchase_line" violates check constraint "purchase_line_quantity_check"',
        extensions: { code: 'permission-error', path: '$' },
      },
    ])
  })

  test('with gqty, a role reads and updates the rows that its permissions allow', async () => {
    expect(await customer.purchases()).toEqual([
      { id: SENT, note: 'a gift' },
      { id: OPEN, note: null },
    ])
    expect(await customer.write('soon')).toEqual([{ id: OPEN, note: 'soon' }])
  })

  test('a subscription of gqty returns the rows of the role and their changes', async () => {
    const notes = customer.notes()
    expect((await notes.next()).value).toEqual(['a gift', null])
    await shop.db.query("update purchase set note = 'soon' where id = $1", [OPEN])
    expect((await notes.next()).value).toEqual(['a gift', 'soon'])
    await notes.return?.()
  })
})
