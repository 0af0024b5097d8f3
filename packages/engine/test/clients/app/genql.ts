import { createClient as createWebSocket } from 'graphql-ws'
import {
  createClient,
  everything,
  GenqlError,
  generateSubscriptionOp,
  type purchase_bool_exp,
} from './admin/index.ts'
import {
  createClient as createCustomerClient,
  type purchase_set_input,
  type purchaseGenqlSelection,
} from './customer/index.ts'

type Headers = Record<string, string>

/** Queries of the client that genql generates from the schema of admin. */
export function queriesOf(url: string, headers: Headers) {
  const client = createClient({ url, headers })
  const batching = createClient({ url, headers, batch: true })
  return {
    /** Reads the customers, titles and totals of the purchases that match a condition. */
    async purchases(where: purchase_bool_exp) {
      const { purchase } = await client.query({
        purchase: {
          __args: { where, order_by: [{ customer: { name: 'asc' } }, { total: 'desc' }] },
          total: true,
          customer: { name: true },
          lines: {
            __args: { order_by: [{ product: { price: 'desc_nulls_last' } }] },
            product: { title: true },
          },
        },
      })
      // @ts-expect-error: the query does not select the note.
      const note: undefined = purchase[0]?.note
      return purchase.map(({ customer, lines, total }) => {
        const titles: string[] = lines.map(({ product }) => product.title)
        return { name: customer.name, titles, total, note }
      })
    },
    /** Reads a product with every column by its key; `product_by_pk` is null if there is none. */
    product: (id: number) => client.query({ product_by_pk: { __args: { id }, ...everything } }),
    bookPrices: () =>
      client.query({
        __name: 'BookPrices',
        product_aggregate: {
          __args: { where: { kind: { _eq: 'book' } }, order_by: [{ id: 'desc' }] },
          aggregate: {
            count: { __args: { columns: ['price'], distinct: true } },
            max: { price: true },
          },
          nodes: { id: true },
        },
      }),
    /** Reads the titles of products by several operations in one request. */
    titles: (ids: number[]) =>
      Promise.all(
        ids.map(async (id) => {
          const { product_by_pk } = await batching.query({
            product_by_pk: { __args: { id }, title: true },
          })
          return product_by_pk?.title
        }),
      ),
  }
}

/** Mutations of the client that genql generates from the schema of admin. */
export function mutationsOf(url: string, headers: Headers) {
  const client = createClient({ url, headers })
  return {
    /** Inserts a purchase with its lines, or changes the note of an existing purchase. */
    buy: (id: string, customer_id: string, products: number[]) =>
      client.mutation({
        insert_purchase_one: {
          __args: {
            object: {
              ...{ id, customer_id, state: 'sent' },
              lines: { data: products.map((product_id) => ({ product_id, quantity: 1 })) },
            },
            on_conflict: { constraint: 'purchase_pkey', update_columns: ['note'] },
          },
          state: true,
          lines_aggregate: { aggregate: { count: true, sum: { quantity: true } } },
        },
      }),
    /** Inserts a customer with the email address of an existing customer. @returns the errors; null if the insert succeeds */
    async refusal(email: string) {
      try {
        await client.mutation({
          insert_customer_one: { __args: { object: { name: '', email } }, id: true },
        })
        return null
      } catch (error) {
        return error instanceof GenqlError ? error.errors : null
      }
    },
  }
}

/** Requests of the client that genql generates from the schema of a customer. */
export function customerOf(url: string, headers: Headers) {
  const client = createCustomerClient({ url, headers })
  const row = { id: true, note: true, state: true } satisfies purchaseGenqlSelection
  return {
    purchases: () => client.query({ purchase: { __args: { order_by: [{ id: 'asc' }] }, ...row } }),
    write: (_set: purchase_set_input) =>
      client.mutation({ update_purchase: { __args: { where: {}, _set }, returning: row } }),
    // @ts-expect-error: the role cannot insert products.
    sell: () => client.mutation({ insert_product_one: { __args: { object: {} }, id: true } }),
  }
}

/** Subscribes to the notes of purchases. @returns a function that ends the subscription */
export function subscribe(url: string, headers: Headers, next: (message: unknown) => void) {
  const client = createWebSocket({ url, connectionParams: { headers } })
  const operation = generateSubscriptionOp({
    purchase: {
      __args: { where: { state: { _eq: 'open' } }, order_by: [{ id: 'asc' }] },
      note: true,
    },
  })
  client.subscribe(operation, { next, error: next, complete: () => {} })
  return () => client.dispose()
}
