import { createClient } from 'graphql-ws'
import {
  $,
  Chain,
  type FromSelector,
  GraphQLError,
  order_by,
  product_select_column,
  purchase_constraint,
  purchase_state_enum,
  purchase_update_column,
  Selector,
  Subscription,
  Zeus,
  ZeusScalars,
} from './admin/zeus/index.ts'
import { Chain as CustomerChain } from './customer/zeus/index.ts'

type Headers = Record<string, string>

const line = Selector('purchase_line')({ quantity: true, product: { title: true } })
type Line = FromSelector<typeof line, 'purchase_line'>

/** Queries of the client that zeus generates from the schema of admin. */
export function queriesOf(url: string, headers: Headers) {
  const chain = Chain(url, { headers })
  const scalars = ZeusScalars({
    timestamptz: {
      decode: (moment: unknown) => new Date(String(moment)),
      encode: (moment: unknown) => JSON.stringify(moment),
    },
  })
  return {
    /** Reads the purchases in a state with a line of at least this quantity, which is a variable. */
    async purchases(state: 'open' | 'sent', quantity: number) {
      const where = {
        state: { _eq: purchase_state_enum[state] },
        lines: { quantity: { _gte: $('quantity', 'Int!') } },
      }
      const { purchase } = await chain('query')(
        {
          purchase: [
            { where, order_by: [{ customer: { name: order_by.asc } }, { total: order_by.desc }] },
            {
              total: true,
              customer: { name: true },
              lines: [{ order_by: [{ id: order_by.asc }] }, line],
            },
          ],
        },
        { operationName: 'Purchases', variables: { quantity } },
      )
      // @ts-expect-error: the query does not select the note.
      const note: undefined = purchase[0]?.note
      return purchase.map(({ customer, lines, total }) => {
        const titles = lines.map(({ product, quantity }: Line) => `${quantity} ${product.title}`)
        return { name: customer.name, titles, total, note }
      })
    },
    /** Reads the dates of the purchases since a moment. */
    async datesSince(moment: string) {
      const { purchase } = await chain('query', { scalars })({
        purchase: [
          { where: { placed_at: { _gte: moment } }, order_by: [{ placed_at: order_by.asc }] },
          { placed_at: true },
        ],
      })
      return purchase.map(({ placed_at }) => placed_at.getTime())
    },
  }
}

/** Reads the prices of books and one product, each under an alias. */
export const pricesOf = (url: string, headers: Headers) =>
  Chain(url, { headers })('query')({
    __alias: {
      books: {
        product_aggregate: [
          { where: { kind: { _eq: 'book' } }, distinct_on: [product_select_column.price] },
          { aggregate: { max: { price: true }, min: { price: true } }, nodes: { title: true } },
        ],
      },
      go: {
        product_by_pk: [{ id: 2 }, { title: true, details: [{ path: 'players[0]' }, true] }],
      },
    },
  })

/** Mutations of the client that zeus generates from the schema of admin. */
export function mutationsOf(url: string, headers: Headers) {
  const chain = Chain(url, { headers })
  return {
    /** Inserts a purchase with its lines, or changes the note of an existing purchase. */
    buy: (id: string, customer_id: string, note: string) =>
      chain('mutation')({
        insert_purchase_one: [
          {
            object: { id, customer_id, note, lines: { data: [{ product_id: 1, quantity: 2 }] } },
            on_conflict: {
              constraint: purchase_constraint.purchase_pkey,
              update_columns: [purchase_update_column.note],
            },
          },
          { note: true, state: true, total: true },
        ],
      }),
    /** Writes JSON from a variable. */
    describe: (id: number, details: unknown) =>
      chain('mutation')(
        {
          update_product_by_pk: [
            { pk_columns: { id }, _append: { details: $('details', 'jsonb!') } },
            { details: [{}, true] },
          ],
        },
        { variables: { details } },
      ),
    /** Sets the quantity of all lines to 0. @returns the response with the errors; null if the update succeeds */
    async refusal() {
      try {
        await chain('mutation')({
          update_purchase_line: [{ where: {}, _set: { quantity: 0 } }, { affected_rows: true }],
        })
        return null
      } catch (error) {
        return error instanceof GraphQLError ? error.response : error
      }
    },
  }
}

/** Requests of the client that zeus generates from the schema of a customer. */
export function customerOf(url: string, headers: Headers) {
  const chain = CustomerChain(url, { headers })
  const row = { id: true, note: true } as const
  return {
    purchases: () => chain('query')({ purchase: [{ order_by: [{ id: order_by.asc }] }, row] }),
    write: (note: string) =>
      chain('mutation')({ update_purchase: [{ where: {}, _set: { note } }, { returning: row }] }),
    // @ts-expect-error: the role cannot delete products.
    remove: () => chain('mutation')({ delete_product_by_pk: [{ id: 1 }, { id: true }] }),
  }
}

/**
 * Subscribes to the titles of products as a visitor. The generated client sends headers as top-level connection parameters,
 * where Hasura ignores them.
 */
export function subscribeAsVisitor(url: string, next: (rows: unknown) => void) {
  const subscription = Subscription(url)('subscription')({
    product: [{ where: { kind: { _eq: 'game' } } }, { title: true }],
  })
  subscription.on(next)
  subscription.error(next)
  return () => subscription.ws.close()
}

/** Subscribes with the document that zeus writes, through a client of graphql-ws. */
export function subscribe(url: string, headers: Headers, next: (message: unknown) => void) {
  const client = createClient({ url, connectionParams: { headers } })
  const query = Zeus('subscription', {
    purchase: [{ order_by: [{ id: order_by.asc }] }, { note: true }],
  })
  client.subscribe({ query }, { next, error: next, complete: () => {} })
  return () => client.dispose()
}
