import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeClient } from '../support/clients/client-packages.ts'
import {
  idsOf,
  listParameters,
  type ReactAdminProvider,
  type Row,
  reactAdminProvider,
} from '../support/clients/react-admin-provider.ts'
import {
  ADA,
  AS_ADA,
  AS_ADMIN,
  BEN,
  BENS,
  CLEO,
  OPEN,
  SENT,
  type Shop,
  startShop,
} from '../support/clients/shop.ts'

let shop: Shop

describeClient('ra-data-hasura', () => {
  beforeAll(async () => {
    shop = await startShop()
  })
  beforeEach(() => shop.reset())
  afterAll(() => shop.stop())

  describe('admin reads with ra-data-hasura', () => {
    let admin: ReactAdminProvider
    beforeAll(async () => {
      admin = await reactAdminProvider(shop.url, AS_ADMIN)
    })

    test('getList of ra-data-hasura returns a page with every column and the total', async () => {
      const pagination = { page: 2, perPage: 2 }
      const sort = { field: 'price', order: 'DESC' }
      const page = await admin.getList('product', listParameters({ pagination, sort }))
      expect(page).toEqual({ data: [MIDDLEMARCH, EMMA], total: 5 })
    })

    test.each([
      ['a column', 'title', 'DESC', [4, 5, 3, 2, 1]],
      ['two columns', 'kind,price', 'desc,asc', [3, 5, 2, 1, 4]],
      ['nulls last', 'withdrawn_at@nulls_last,id', 'asc,asc', [5, 1, 2, 3, 4]],
      ['nulls first', 'withdrawn_at@nulls_first,id', 'desc,desc', [4, 3, 2, 1, 5]],
    ])('getList of ra-data-hasura sorts by %s', async (_case, field, order, ids) => {
      const params = listParameters({ sort: { field, order } })
      expect(await idsOf(admin.getList('product', params))).toEqual(ids)
    })

    test('getList of ra-data-hasura sorts by a related column and a computed field', async () => {
      const sort = { field: 'customer.name,total', order: 'desc,asc' }
      const sorted = admin.getList('purchase', listParameters({ sort }))
      expect(await idsOf(sorted)).toEqual([BENS, OPEN, SENT])
    })

    test('getList of ra-data-hasura returns the first row for each value of distinct_on', async () => {
      const sort = { field: 'kind,price', order: 'asc,desc' }
      const params = listParameters({ sort, filter: { distinct_on: 'kind' } })
      expect(await idsOf(admin.getList('product', params))).toEqual([4, 2, 3])
    })

    test.each<[string, Row, unknown[]]>(FILTERS)(
      'getList of ra-data-hasura filters by %s',
      async (_case, filter, ids) => {
        const page = await admin.getList('product', listParameters({ filter }))
        expect(page.data.map(({ id }) => id)).toEqual(ids)
        expect(page.total).toBe(ids.length)
      },
    )

    test("getList of ra-data-hasura filters by an enum table's value", async () => {
      const page = admin.getList('purchase', listParameters({ filter: { state: 'open' } }))
      expect(await idsOf(page)).toEqual([OPEN, BENS])
    })

    test('getOne and getMany of ra-data-hasura find rows by uuid, int and bigint', async () => {
      expect(await admin.getOne('purchase', { id: SENT })).toEqual({ data: SENT_PURCHASE })
      expect(await admin.getOne('product', { id: 1 })).toEqual({ data: EMMA })
      const { data: lines } = await admin.getMany('purchase_line', { ids: [2, 4, 99] })
      expect(lines.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual([
        { id: 2, purchase_id: SENT, product_id: 3, quantity: 1 },
        { id: 4, purchase_id: BENS, product_id: 4, quantity: 3 },
      ])
    })

    test.each([
      ['purchase_id', SENT, {}, [1, 2]],
      ['purchase_id', SENT, { quantity: 2 }, [1]],
      ['purchase#customer_id', ADA, {}, [1, 2, 3]],
      ['purchase#customer#settings@_contains@theme#colour', 'red', {}, [4]],
    ])(
      'getManyReference of ra-data-hasura finds rows by %s of %s with %o',
      async (target, id, filter, ids) => {
        const params = { ...listParameters({ filter }), target, id }
        expect(await idsOf(admin.getManyReference('purchase_line', params))).toEqual(ids)
      },
    )
  })

  describe('admin writes with ra-data-hasura', () => {
    let admin: ReactAdminProvider
    beforeAll(async () => {
      admin = await reactAdminProvider(shop.url, AS_ADMIN)
    })

    test('create of ra-data-hasura inserts a row and returns it with generated values', async () => {
      const data = { title: 'Chess', kind: 'game', price: 15.05, details: { players: [2] } }
      const creation = { ...data, id: 101, withdrawn_at: null }
      expect(await admin.create('product', { data })).toEqual({ data: creation })
      expect(await admin.getOne('product', { id: 101 })).toEqual({ data: creation })
    })

    test('update of ra-data-hasura changes only values that differ from the previous row', async () => {
      await shop.db.query("update product set title = 'Emma, changed by another' where id = 1")
      const data = { ...EMMA, price: 13, details: { pages: 500 } }
      const update = await admin.update('product', { id: 1, data, previousData: EMMA })
      expect(update).toEqual({ data: { ...data, title: 'Emma, changed by another' } })
    })

    test('updateMany and deleteMany of ra-data-hasura return the ids of their rows', async () => {
      const update = await admin.updateMany('purchase_line', {
        ids: [1, 4],
        data: { quantity: 7 },
      })
      expect(update.data.toSorted()).toEqual([1, 4])
      const filter = { quantity: 7 }
      const sevens = admin.getList('purchase_line', listParameters({ filter }))
      expect(await idsOf(sevens)).toEqual([1, 4])
      const deletion = await admin.deleteMany('purchase_line', { ids: [1, 4, 99] })
      expect(deletion.data.toSorted()).toEqual([1, 4])
      expect(await idsOf(admin.getList('purchase_line', listParameters()))).toEqual([2, 3])
    })

    test('delete of ra-data-hasura returns the deleted row', async () => {
      expect(await admin.delete('purchase', { id: SENT })).toEqual({ data: SENT_PURCHASE })
      expect(await idsOf(admin.getList('purchase', listParameters()))).toEqual([OPEN, BENS])
    })

    test('a change that PostgreSQL rejects fails in ra-data-hasura with the reason', async () => {
      const data = { name: 'Ada the second', email: 'ada@example.com' }
      await expect(admin.create('customer', { data })).rejects.toThrow(
        'Uniqueness violation. duplicate key value violates unique constraint "customer_email_key"',
      )
    })
  })

  describe('a customer uses ra-data-hasura with the permissions of the role', () => {
    let ada: ReactAdminProvider
    beforeAll(async () => {
      ada = await reactAdminProvider(shop.url, AS_ADA)
    })

    test('lists of ra-data-hasura have the rows and columns of the role', async () => {
      const { withdrawn_at: _, ...emma } = EMMA
      const filter = { kind: ['book', 'game'] }
      const pagination = { page: 1, perPage: 1 }
      const page = await ada.getList('product', listParameters({ filter, pagination }))
      expect(page).toEqual({ data: [emma], total: 3 })
      const settings = { theme: { colour: 'blue' }, letters: true }
      expect(await ada.getList('customer', listParameters())).toEqual({
        data: [{ id: ADA, name: 'Ada', settings }],
        total: 1,
      })
    })

    test('ra-data-hasura does not find rows of other customers', async () => {
      expect(await idsOf(ada.getMany('customer', { ids: [ADA, BEN, CLEO] }))).toEqual([ADA])
      expect(await ada.getOne('purchase', { id: BENS })).toEqual({ data: undefined })
      const params = { ...listParameters(), target: 'purchase_id' }
      expect(await idsOf(ada.getManyReference('purchase_line', { ...params, id: OPEN }))).toEqual([
        3,
      ])
      expect(await idsOf(ada.getManyReference('purchase_line', { ...params, id: BENS }))).toEqual(
        [],
      )
    })

    test('a customer creates, updates and deletes a purchase with ra-data-hasura', async () => {
      const creation = await ada.create('purchase', { data: { note: 'by post' } })
      const { id } = creation.data
      const row = { id, customer_id: ADA, state: 'open', note: 'by post', total: 0 }
      expect(creation.data).toEqual({ ...row, placed_at: expect.any(String) })
      const line = { purchase_id: id, product_id: 2, quantity: 3 }
      expect(await ada.create('purchase_line', { data: line })).toEqual({
        data: { ...line, id: 101 },
      })
      const data = { ...creation.data, note: 'by train' }
      const update = await ada.update('purchase', { id, data, previousData: creation.data })
      expect(update).toEqual({ data: { ...data, total: 117 } })
      expect((await ada.delete('purchase', { id })).data).toMatchObject({ id, note: 'by train' })
      expect(await idsOf(ada.getList('purchase', listParameters()))).toEqual([SENT, OPEN])
    })

    test("ra-data-hasura does not change rows outside the role's permissions", async () => {
      const ids = [SENT, OPEN, BENS]
      const update = await ada.updateMany('purchase', { ids, data: { note: 'mine' } })
      expect(update).toEqual({ data: [OPEN] })
      expect(await ada.deleteMany('purchase_line', { ids: [1, 3, 4] })).toEqual({ data: [3] })
      const line = { purchase_id: BENS, product_id: 1, quantity: 1 }
      await expect(ada.create('purchase_line', { data: line })).rejects.toThrow(
        'check constraint of an insert/update permission has failed',
      )
      const { rows } = await shop.db.query('select id, note from purchase order by id')
      expect(rows).toEqual([
        { id: SENT, note: 'a gift' },
        { id: OPEN, note: 'mine' },
        { id: BENS, note: null },
      ])
    })

    test('ra-data-hasura finds no mutation that the role lacks', async () => {
      await expect(ada.delete('product', { id: 1 })).rejects.toThrow(
        'No query or mutation matching',
      )
      const data = { name: 'Eve', email: 'eve@example.com' }
      await ada.update('customer', { id: ADA, data, previousData: {} })
      const { rows } = await shop.db.query('select name, email from customer where id = $1', [ADA])
      expect(rows).toEqual([{ name: 'Eve', email: 'ada@example.com' }])
    })
  })
})

/** Filters of products, with the ids of the matching products. */
const FILTERS: [string, Row, number[]][] = [
  ['a substring', { title: 'm' }, [1, 4]],
  ['_eq', { 'title@_eq': 'Go' }, [2]],
  ['_neq', { 'title@_neq': 'Go' }, [1, 3, 4, 5]],
  ['_like', { 'title@_like': 'M' }, [4]],
  ['_nlike', { 'title@_nlike': 'm' }, [2, 3, 5]],
  ['_nilike', { 'title@_nilike': 'M' }, [2, 3, 5]],
  ['_similar', { 'title@_similar': '(Go|Ludo)' }, [2, 5]],
  ['_nsimilar', { 'title@_nsimilar': '(Go|Ludo)' }, [1, 3, 4]],
  ['_regex', { 'title@_regex': '^[A-G]' }, [1, 2]],
  ['_iregex', { 'title@_iregex': '^e' }, [1]],
  ['a number', { price: 24.95 }, [3]],
  ['_gt and _lte', { 'price@_gt': 12.5, 'price@_lte': 24.95 }, [3, 4]],
  ['_gte and _lt', { 'price@_gte': 12.5, 'price@_lt': 24.95 }, [1, 4]],
  ["a value of PostgreSQL's enum", { kind: 'game' }, [2, 5]],
  ['a list', { kind: ['book', 'record'] }, [1, 3, 4]],
  ['_nin', { 'kind@_nin': ['book', 'record'] }, [2, 5]],
  ['ids', { ids: [2, 4, 99] }, [2, 4]],
  ['_is_null', { 'withdrawn_at@_is_null': false }, [5]],
  ['a timestamp', { 'withdrawn_at@_gt': '2026-01-01T00:00:00+02:00' }, [5]],
  ['contained JSON', { details: '{"pages": 880}' }, [4]],
  ['_contains at a path', { 'details@_contains@players': [2, 3] }, [5]],
  ['_has_keys_any', { 'details@_has_keys_any': ['pages', 'none'] }, [1, 4]],
  ['any related row', { 'lines@{}': '' }, [1, 2, 3, 4]],
  ['a related row', { 'lines#purchase#customer#name@_like': 'B' }, [4]],
  ['either of two columns', { 'title@_ilike,lines#purchase#customer#name@_ilike': 'b' }, [3, 4]],
  [
    'a raw Hasura condition',
    { lines: { format: 'hasura-raw-query', value: { quantity: { _gt: 1 } } } },
    [1, 4],
  ],
]

const EMMA = {
  id: 1,
  title: 'Emma',
  kind: 'book',
  price: 12.5,
  details: { pages: 474 },
  withdrawn_at: null,
}
const MIDDLEMARCH = {
  ...{ id: 4, title: 'Middlemarch', kind: 'book', price: 19.9, details: { pages: 880 } },
  withdrawn_at: null,
}
const SENT_PURCHASE = {
  ...{ id: SENT, customer_id: ADA, state: 'sent', note: 'a gift', total: 49.95 },
  placed_at: '2026-03-01T10:00:00+00:00',
}
