import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeClient } from '../support/clients/client-packages.ts'
import { type RefineProvider, refineProvider } from '../support/clients/refine-providers.ts'
import { AS_ADMIN, BENS, OPEN, SENT, type Shop, startShop } from '../support/clients/shop.ts'

describeClient('@refinedev/hasura', () => {
  let shop: Shop
  let admin: RefineProvider
  beforeAll(async () => {
    shop = await startShop({
      HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: 'naming_convention',
      HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION: 'graphql-default',
    })
    admin = refineProvider(shop, AS_ADMIN, {
      namingConvention: 'graphql-default',
      idType: (resource) => (resource === 'purchase' ? 'uuid' : 'bigint'),
    })
  })
  beforeEach(() => shop.reset())
  afterAll(() => shop.stop())

  test('getList of refine sorts and filters with the convention graphql-default', async () => {
    const page = await admin.getList({
      resource: 'purchase_line',
      sorters: [{ field: 'quantity', order: 'desc' }],
      filters: [{ field: 'purchaseId', operator: 'in', value: [SENT, BENS] }],
      pagination: { pageSize: 2 },
      meta: { fields: ['productId', 'quantity', { purchase: ['placedAt'] }] },
    })
    expect(page).toEqual({
      data: [
        { productId: 4, quantity: 3, purchase: { placedAt: '2026-04-03T12:00:00+00:00' } },
        { productId: 1, quantity: 2, purchase: { placedAt: '2026-03-01T10:00:00+00:00' } },
      ],
      total: 3,
    })
  })

  test('refine creates, reads, updates and deletes rows with the convention graphql-default', async () => {
    const resource = 'purchase_line'
    const line = { purchaseId: OPEN, productId: 4, quantity: 2 }
    const meta = { fields: ['purchaseId', 'productId', 'quantity'] }
    expect(await admin.create({ resource, variables: line })).toEqual({
      data: { id: 101, ...line },
    })
    const variables = { quantity: 5 }
    expect(await admin.update({ resource, id: 101, variables, meta })).toEqual({
      data: { ...line, quantity: 5 },
    })
    expect(await admin.getOne({ resource, id: 101, meta })).toEqual({
      data: { ...line, quantity: 5 },
    })
    expect(await admin.getMany({ resource, ids: [101], meta })).toEqual({
      data: [{ ...line, quantity: 5 }],
    })
    expect(await admin.deleteOne({ resource, id: 101, meta: { fields: ['quantity'] } })).toEqual({
      data: { quantity: 5 },
    })
    const remaining = admin.getList({ resource, meta: { fields: ['id'] } })
    expect((await remaining).total).toBe(4)
  })
})
