import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { describeClient } from '../support/clients/client-packages.ts'
import {
  type RefineLiveProvider,
  refineDocument,
  refineLiveProvider,
} from '../support/clients/refine-providers.ts'
import { AS_ADA, OPEN, SENT, type Shop, startShop } from '../support/clients/shop.ts'

describeClient('@refinedev/hasura', () => {
  let shop: Shop
  let live: RefineLiveProvider
  let close: () => void
  beforeAll(async () => {
    shop = await startShop()
    ;({ live, close } = refineLiveProvider(shop, AS_ADA))
  })
  beforeEach(() => shop.reset())
  afterAll(async () => {
    close()
    await shop.stop()
  })

  test('useList of refine subscribes to the sorted and filtered rows of the role', async () => {
    const callback = vi.fn()
    const end = live.subscribe({
      callback,
      params: {
        subscriptionType: 'useList',
        resource: 'purchase',
        sorters: [{ field: 'placed_at', order: 'desc' }],
        filters: [{ field: 'total', operator: 'gt', value: 10 }],
        pagination: { pageSize: 1 },
        meta: { fields: ['id', 'note', 'total'] },
      },
    })
    await expect.poll(() => callback.mock.lastCall).toEqual([[{ id: OPEN, note: null, total: 39 }]])
    await shop.db.query('delete from purchase_line where purchase_id = $1', [OPEN])
    const sentPurchase = { id: SENT, note: 'a gift', total: 49.95 }
    await expect.poll(() => callback.mock.lastCall).toEqual([[sentPurchase]])
    live.unsubscribe(end)
  })

  test('useOne of refine subscribes to a row by uuid and by Int', async () => {
    const [purchases, products] = [vi.fn(), vi.fn()]
    const subscription = { subscriptionType: 'useOne' }
    const gqlQuery = refineDocument('query Product($id: Int!) { product_by_pk(id: $id) { title } }')
    const ends = [
      live.subscribe({
        callback: purchases,
        params: { ...subscription, resource: 'purchase', id: OPEN, meta: { fields: ['note'] } },
      }),
      live.subscribe({
        callback: products,
        params: { ...subscription, resource: 'product', id: 1, meta: { gqlQuery } },
      }),
    ]
    await expect.poll(() => purchases.mock.lastCall).toEqual([{ note: null }])
    await expect.poll(() => products.mock.lastCall).toEqual([{ title: 'Emma' }])
    await shop.db.query("update purchase set note = 'changed'")
    await shop.db.query('update product set withdrawn_at = now()')
    await expect.poll(() => purchases.mock.lastCall).toEqual([{ note: 'changed' }])
    await expect.poll(() => products.mock.lastCall).toEqual([null])
    ends.forEach((end) => {
      live.unsubscribe(end)
    })
  })

  test('useMany of refine subscribes to rows by their ids', async () => {
    const callback = vi.fn()
    const end = live.subscribe({
      callback,
      params: {
        subscriptionType: 'useMany',
        resource: 'product',
        ids: [2, 99],
        meta: { fields: ['title'] },
      },
    })
    await expect.poll(() => callback.mock.lastCall).toEqual([[{ title: 'Go' }]])
    await shop.db.query("update product set title = 'Weiqi' where id = 2")
    await expect.poll(() => callback.mock.lastCall).toEqual([[{ title: 'Weiqi' }]])
    live.unsubscribe(end)
  })
})
