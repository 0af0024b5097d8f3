import type { TypedDocumentString } from './admin/client/graphql.ts'
import { type FragmentType, graphql, useFragment } from './admin/client/index.ts'
import type { BuyMutation, BuyMutationVariables } from './admin/operations.ts'
import type { Purchase_Bool_Exp } from './admin/schema.ts'
import * as customer from './codegen-customer.ts'

type Headers = Record<string, string>

const LINE = graphql(`
  fragment Line on purchase_line { quantity product { title } }
`)

const PURCHASES = graphql(`
  query Purchases($where: purchase_bool_exp!, $limit: Int = 10) {
    purchase(where: $where, limit: $limit, order_by: [{ customer: { name: asc } }, { total: desc }]) {
      customer { name }
      lines(order_by: { id: asc }) { ...Line }
    }
  }
`)

const BUY = graphql(`
  mutation Buy($purchase: purchase_insert_input!) {
    insert_purchase_one(object: $purchase) { note state total lines { product { withdrawn_at } } }
  }
`)

/** Reads the customers and the lines of purchases, with the client preset. */
export async function purchases(url: string, headers: Headers, where: Purchase_Bool_Exp) {
  const { purchase } = await send(url, headers, PURCHASES, { where })
  return purchase.map((row) => ({ name: row.customer.name, lines: row.lines.map(printed) }))
}

function printed(line: FragmentType<typeof LINE>): string {
  const { quantity, product } = useFragment(LINE, line)
  // @ts-expect-error: the fragment does not select the price.
  const price: undefined = product.price
  return `${quantity} ${product.title}${price ?? ''}`
}

/** Inserts a purchase, with the types of the plug-in typescript-operations. */
export async function buy(url: string, headers: Headers, id: string, customer_id: string) {
  const variables: BuyMutationVariables = {
    purchase: { id, customer_id, state: 'open', lines: { data: [{ product_id: 1, quantity: 2 }] } },
  }
  const data: BuyMutation = await send(url, headers, BUY, variables)
  return data.insert_purchase_one
}

/** Changes the note of the purchases that a customer may change. */
export async function write(url: string, headers: Headers, note: string) {
  const changes: customer.Changes = { note }
  // @ts-expect-error: the role cannot change the state.
  if (changes.state) throw new Error('a state')
  return (await send(url, headers, customer.WRITE, { changes })).update_purchase
}

async function send<Result, Variables>(
  url: string,
  headers: Headers,
  query: Pick<TypedDocumentString<Result, Variables>, '__apiType' | 'toString'>,
  variables: Variables,
): Promise<Result> {
  const body = JSON.stringify({ query, variables })
  const { data, errors } = await (await fetch(url, { method: 'POST', headers, body })).json()
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}
