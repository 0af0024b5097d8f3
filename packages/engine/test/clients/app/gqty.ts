import { Cache, createClient, defaultResponseHandler, GQtyError, type QueryFetcher } from 'gqty'
import { createClient as createWebSocket } from 'graphql-ws'
import {
  type GeneratedSchema,
  generatedSchema,
  order_by,
  type purchase_bool_exp,
  purchase_constraint,
  purchase_update_column,
  scalarsEnumsHash,
} from './admin/schema.generated.ts'
import * as customer from './customer/schema.generated.ts'
import { resolve as resolveAsVisitor } from './visitor/index.ts'

type Headers = Record<string, string>

/** The options of the generated client, with the headers that a program adds. */
function fetchOptions(url: string, headers: Headers) {
  const fetcher: QueryFetcher = async ({ query, variables, operationName }, options) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables, operationName }),
      ...options,
    })
    return await defaultResponseHandler(response)
  }
  const subscriber = createWebSocket({
    url: url.replace('http', 'ws'),
    connectionParams: { headers },
    lazyCloseTimeout: 0,
  })
  return { fetcher, subscriber }
}

// Each request gets a new client. A client with the cache policy "no-store" keeps a response for only 100 ms, which a busy
// machine may exceed before it has read the response.
function adminClient(url: string, headers: Headers) {
  return createClient<GeneratedSchema>({
    schema: generatedSchema,
    scalars: scalarsEnumsHash,
    cache: new Cache(),
    fetchOptions: fetchOptions(url, headers),
  })
}

function customerClient(url: string, headers: Headers) {
  return createClient<customer.GeneratedSchema>({
    schema: customer.generatedSchema,
    scalars: customer.scalarsEnumsHash,
    cache: new Cache(),
    fetchOptions: fetchOptions(url, headers),
  })
}

/** Queries of the client that gqty generates from the schema of admin. */
export function queriesOf(url: string, headers: Headers) {
  const client = () => adminClient(url, headers)
  return {
    /** Reads the customers, titles and totals of the purchases that match a condition. */
    purchases: (where: purchase_bool_exp) =>
      client().resolve(({ query }) =>
        query
          .purchase({
            where,
            order_by: [{ customer: { name: order_by.asc } }, { total: order_by.desc }],
          })
          .map((purchase) => ({
            name: purchase.customer.name,
            total: purchase.total,
            titles: purchase
              .lines({ order_by: [{ id: order_by.asc }] })
              .map(({ product }) => product.title),
          })),
      ),
    product: (id: number) =>
      client().resolve(({ query }) => {
        const product = query.product_by_pk({ id })
        // @ts-expect-error: products have no such column.
        product?.titel
        return product && { title: product.title, kind: product.kind, details: product.details() }
      }),
    prices: () =>
      client().resolve(({ query }) => {
        const books = query.product_aggregate({ where: { kind: { _eq: 'book' } } })
        return { count: books.aggregate?.count(), highest: books.aggregate?.max?.price }
      }),
  }
}

/** Reads titles with the generated client as it is, which sends no headers. */
export function titlesForVisitor() {
  return resolveAsVisitor(({ query }) =>
    query.product({ order_by: [{ id: order_by.asc }] }).map(({ title }) => title),
  )
}

/** Mutations of the client that gqty generates from the schema of admin. */
export function mutationsOf(url: string, headers: Headers) {
  const client = () => adminClient(url, headers)
  return {
    /** Inserts a purchase with its lines, or changes the note of an existing purchase. */
    buy: (id: string, customer_id: string, note: string) =>
      client().resolve(({ mutation }) => {
        const bought = mutation.insert_purchase_one({
          object: { id, customer_id, note, lines: { data: [{ product_id: 1, quantity: 2 }] } },
          on_conflict: {
            constraint: purchase_constraint.purchase_pkey,
            update_columns: [purchase_update_column.note],
          },
        })
        return bought && { note: bought.note, state: bought.state, total: bought.total }
      }),
    describe: (id: number, details: unknown) =>
      client().resolve(({ mutation }) =>
        mutation.update_product_by_pk({ pk_columns: { id }, _append: { details } })?.details(),
      ),
    /** Sets the quantity of all lines to 0. @returns the errors; null if the update succeeds */
    async refusal() {
      try {
        await client().resolve(
          ({ mutation }) =>
            mutation.update_purchase_line({ where: {}, _set: { quantity: 0 } })?.affected_rows,
        )
        return null
      } catch (error) {
        return error instanceof GQtyError ? error.graphQLErrors : error
      }
    },
  }
}

/** Requests of the client that gqty generates from the schema of a customer. */
export function customerOf(url: string, headers: Headers) {
  const client = () => customerClient(url, headers)
  const by = { order_by: [{ id: customer.order_by.asc }] }
  return {
    purchases: () =>
      client().resolve(({ query }) => query.purchase(by).map(({ id, note }) => ({ id, note }))),
    write: (note: string) =>
      client().resolve(({ mutation }) =>
        mutation
          .update_purchase({ where: {}, _set: { note } })
          ?.returning.map((purchase) => ({ id: purchase.id, note: purchase.note })),
      ),
    // @ts-expect-error: the role cannot delete products.
    remove: () => client().resolve(({ mutation }) => mutation.delete_product_by_pk({ id: 1 })?.id),
    /** The notes of purchases, now and whenever they change. */
    notes: () =>
      client().subscribe(({ subscription }) => subscription.purchase(by).map(({ note }) => note)),
  }
}
