import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeClient } from '../support/clients/client-packages.ts'
import {
  type RefineFilter,
  type RefineProvider,
  refineDocument,
  refineProvider,
} from '../support/clients/refine-providers.ts'
import {
  ADA,
  AS_ADA,
  AS_ADMIN,
  BENS,
  OPEN,
  SENT,
  type Shop,
  startShop,
} from '../support/clients/shop.ts'

let shop: Shop
let admin: RefineProvider
let ada: RefineProvider

describeClient('@refinedev/hasura', () => {
  beforeAll(async () => {
    shop = await startShop()
    admin = refineProvider(shop, AS_ADMIN)
    ada = refineProvider(shop, AS_ADA)
  })
  beforeEach(() => shop.reset())
  afterAll(() => shop.stop())

  describe('refine reads rows', () => {
    test('getList of refine returns a sorted page with related rows and the total', async () => {
      const page = await admin.getList({
        resource: 'purchase',
        sorters: [
          { field: 'customer.name', order: 'asc' },
          { field: 'total', order: 'asc' },
        ],
        pagination: { currentPage: 2, pageSize: 1 },
        meta: { fields: ['id', 'state', 'total', { customer: ['name'] }, { lines: ['quantity'] }] },
      })
      expect(page).toEqual({
        data: [
          {
            ...{ id: SENT, state: 'sent', total: 49.95, customer: { name: 'Ada' } },
            lines: [{ quantity: 2 }, { quantity: 1 }],
          },
        ],
        total: 3,
      })
    })

    test('getList of refine runs a custom document with the filters of its variables and of the list', async () => {
      const gqlQuery = refineDocument(`
        query Products($limit: Int, $offset: Int, $order_by: [product_order_by!], $where: product_bool_exp) {
          product(limit: $limit, offset: $offset, order_by: $order_by, where: $where) { title price }
          product_aggregate(where: $where) { aggregate { count } }
        }`)
      const page = await admin.getList({
        resource: 'product',
        sorters: [{ field: 'price', order: 'desc' }],
        filters: [{ field: 'kind', operator: 'ne', value: 'record' }],
        pagination: { pageSize: 2 },
        meta: { gqlQuery, gqlVariables: { where: { _and: [{ price: { _lt: 30 } }] } } },
      })
      expect(page).toEqual({
        data: [
          { title: 'Middlemarch', price: 19.9 },
          { title: 'Emma', price: 12.5 },
        ],
        total: 3,
      })
    })

    const filters = FILTERS.map(([filter, ids]) => ({ operator: filter.operator, filter, ids }))
    test.each(filters)(
      'getList of refine filters by the operator $operator',
      async ({ filter, ids }) => {
        const page = await admin.getList({
          resource: 'product',
          filters: [filter],
          sorters: [{ field: 'id', order: 'asc' }],
          pagination: { mode: 'off' },
          meta: { fields: ['id'] },
        })
        expect(page).toEqual({ data: ids.map((id) => ({ id })), total: ids.length })
      },
    )

    test('getOne of refine returns a row by uuid and Int, and null if it is missing', async () => {
      const ofPurchase = {
        resource: 'purchase',
        meta: { fields: ['note', { customer: ['email'] }] },
      }
      expect(await admin.getOne({ ...ofPurchase, id: SENT })).toEqual({
        data: { note: 'a gift', customer: { email: 'ada@example.com' } },
      })
      const ofProduct = { resource: 'product', id: 2, meta: { fields: ['title', 'details'] } }
      expect(await admin.getOne(ofProduct)).toEqual({
        data: { title: 'Go', details: { players: [2] } },
      })
      expect(await admin.getOne({ ...ofProduct, id: 99 })).toEqual({ data: null })
    })

    test('getOne of refine runs a custom document', async () => {
      const gqlQuery = refineDocument(
        'query Product($id: Int!) { product_by_pk(id: $id) { title lines { quantity } } }',
      )
      expect(await admin.getOne({ resource: 'product', id: 4, meta: { gqlQuery } })).toEqual({
        data: { title: 'Middlemarch', lines: [{ quantity: 3 }] },
      })
    })

    test('getMany of refine returns the rows with the ids that the role can read', async () => {
      const many = { resource: 'purchase', ids: [SENT, BENS], meta: { fields: ['id', 'state'] } }
      const { data } = await admin.getMany(many)
      expect(data).toHaveLength(2)
      expect(data).toEqual(
        expect.arrayContaining([
          { id: SENT, state: 'sent' },
          { id: BENS, state: 'open' },
        ]),
      )
      expect(await ada.getMany(many)).toEqual({ data: [{ id: SENT, state: 'sent' }] })
    })

    test('getList of refine lists what the role can read and rejects an unknown field', async () => {
      const list = { resource: 'product', pagination: { pageSize: 1 } }
      const sorters = [{ field: 'price', order: 'desc' }]
      const page = await ada.getList({ ...list, sorters, meta: { fields: ['title'] } })
      expect(page).toEqual({ data: [{ title: 'Go' }], total: 4 })
      await expect(ada.getList({ ...list, meta: { fields: ['withdrawn_at'] } })).rejects.toThrow(
        "field 'withdrawn_at' not found in type: 'product'",
      )
    })
  })

  describe('refine writes rows', () => {
    test('create and createMany of refine return the created rows', async () => {
      const variables = { title: 'Chess', kind: 'game', price: 15.05, details: { players: [2] } }
      expect(await admin.create({ resource: 'product', variables })).toEqual({
        data: { id: 101, ...variables },
      })
      const lines = [4, 5].map((product_id) => ({ purchase_id: OPEN, product_id, quantity: 1 }))
      const meta = { fields: ['product_id', { purchase: ['total'] }] }
      expect(await ada.createMany({ resource: 'purchase_line', variables: lines, meta })).toEqual({
        data: [
          { id: 101, product_id: 4, purchase: { total: 66.9 } },
          { id: 102, product_id: 5, purchase: { total: 66.9 } },
        ],
      })
    })

    test('create of refine runs a custom document', async () => {
      const gqlMutation = refineDocument(`
        mutation Buy($object: purchase_insert_input!) {
          insert_purchase_one(object: $object) { customer_id note state }
        }`)
      const variables = { note: 'by train' }
      expect(await ada.create({ resource: 'purchase', variables, meta: { gqlMutation } })).toEqual({
        data: { customer_id: ADA, note: 'by train', state: 'open' },
      })
    })

    test('update and updateMany of refine change the rows that the role can change', async () => {
      const update = { resource: 'product', id: 1, variables: { price: 13, kind: 'record' } }
      const product = await admin.update({ ...update, meta: { fields: ['id', 'price', 'kind'] } })
      expect(product).toEqual({ data: { id: 1, price: 13, kind: 'record' } })
      const notes = {
        resource: 'purchase',
        variables: { note: 'soon' },
        meta: { fields: ['note'] },
      }
      const purchases = await ada.updateMany({ ...notes, ids: [SENT, OPEN, BENS] })
      expect(purchases).toEqual({ data: [{ id: OPEN, note: 'soon' }] })
      expect(await ada.update({ ...notes, id: SENT })).toEqual({ data: null })
    })

    test('deleteOne and deleteMany of refine return the deleted rows', async () => {
      const fields = { fields: ['id', 'state'] }
      const deletion = await admin.deleteOne({ resource: 'purchase', id: BENS, meta: fields })
      expect(deletion).toEqual({ data: { id: BENS, state: 'open' } })
      expect(await ada.deleteMany({ resource: 'purchase', ids: [SENT, OPEN, BENS] })).toEqual({
        data: [{ id: OPEN }],
      })
      const { rows } = await shop.db.query('select id from purchase')
      expect(rows).toEqual([{ id: SENT }])
    })

    test('a change that PostgreSQL rejects fails in refine with the reason', async () => {
      const variables = { product_id: 1, purchase_id: SENT, quantity: 0 }
      await expect(admin.create({ resource: 'purchase_line', variables })).rejects.toThrow(
        'Check constraint violation. new row for relation "purchase_line" violates check constraint',
      )
    })
  })
})

const EXPENSIVE = { field: 'price', operator: 'gt', value: 30 }
const CHEAP = { field: 'price', operator: 'lt', value: 15 }
const BOOK = { field: 'kind', operator: 'eq', value: 'book' }

/** Filters of products, with the ids of the matching products. */
const FILTERS: [RefineFilter, number[]][] = [
  [{ field: 'title', operator: 'eq', value: 'Go' }, [2]],
  [{ field: 'title', operator: 'ne', value: 'Go' }, [1, 3, 4, 5]],
  [{ field: 'price', operator: 'lt', value: 12.5 }, [5]],
  [{ field: 'price', operator: 'lte', value: 12.5 }, [1, 5]],
  [{ field: 'price', operator: 'gt', value: 24.95 }, [2]],
  [{ field: 'price', operator: 'gte', value: 24.95 }, [2, 3]],
  [{ field: 'kind', operator: 'in', value: ['book', 'record'] }, [1, 3, 4]],
  [{ field: 'kind', operator: 'nin', value: ['book', 'record'] }, [2, 5]],
  [{ field: 'title', operator: 'contains', value: 'M' }, [1, 4]],
  [{ field: 'title', operator: 'ncontains', value: 'M' }, [2, 3, 5]],
  [{ field: 'title', operator: 'containss', value: 'M' }, [4]],
  [{ field: 'title', operator: 'ncontainss', value: 'M' }, [1, 2, 3, 5]],
  [{ field: 'withdrawn_at', operator: 'null', value: true }, [1, 2, 3, 4]],
  [{ field: 'withdrawn_at', operator: 'nnull', value: true }, [5]],
  [{ field: 'title', operator: 'startswith', value: 'e' }, [1]],
  [{ field: 'title', operator: 'nstartswith', value: 'e' }, [2, 3, 4, 5]],
  [{ field: 'title', operator: 'endswith', value: 'O' }, [2, 5]],
  [{ field: 'title', operator: 'nendswith', value: 'O' }, [1, 3, 4]],
  [{ field: 'title', operator: 'startswiths', value: 'E' }, [1]],
  [{ field: 'title', operator: 'nstartswiths', value: 'E' }, [2, 3, 4, 5]],
  [{ field: 'title', operator: 'endswiths', value: 'o' }, [2, 5]],
  [{ field: 'title', operator: 'nendswiths', value: 'o' }, [1, 3, 4]],
  [{ field: 'lines.purchase.customer.name', operator: 'eq', value: 'Ben' }, [4]],
  [{ operator: 'or', value: [EXPENSIVE, { operator: 'and', value: [BOOK, CHEAP] }] }, [1, 2]],
]
