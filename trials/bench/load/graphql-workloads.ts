import type { Shop } from './shop-database.ts'

/** One kind of request, in the form of each server. */
export type Workload = {
  /** The workload's name; also its path on the hand-written server. */
  name: string
  /** The smallest wanted ratio of the engine's requests per second to those of each other server. */
  targets: { handWritten: number; postgraphile: number }
  /** The number of rows in a response, including nested rows. */
  rowsInAnswer: number
  engine: string
  postgraphile: string
  /** Creates the variables of the nth request, equal for all servers. */
  variables(n: number, shop: Shop): object
}

/** All workloads. The one that changes rows is last. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'by_pk',
    rowsInAnswer: 1,
    targets: { handWritten: 0.75, postgraphile: 2 },
    engine: `query ByPk($id: Int!) {
      purchase: purchase_by_pk(id: $id) { id customer_id product_id quantity status placed_on }
    }`,
    postgraphile: `query ByPk($id: Int!) {
      purchase: purchaseByRowId(rowId: $id) {
        id: rowId customer_id: customerId product_id: productId quantity status placed_on: placedOn
      }
    }`,
    variables: (n, { purchases }) => ({ id: 1 + 2 * scatter(n, purchases / 2) }),
  },
  {
    name: 'list',
    rowsInAnswer: 100,
    targets: { handWritten: 0.9, postgraphile: 2 },
    engine: `query List($status: String!, $limit: Int!) {
      purchases: purchase(where: { status: { _eq: $status } }, order_by: { id: asc }, limit: $limit) {
        id customer_id product_id quantity status placed_on
      }
    }`,
    postgraphile: `query List($status: String!, $limit: Int!) {
      purchases: allPurchases(condition: { status: $status }, orderBy: ROW_ID_ASC, first: $limit) {
        nodes {
          id: rowId customer_id: customerId product_id: productId quantity status placed_on: placedOn
        }
      }
    }`,
    variables: (n) => ({ status: ['open', 'paid', 'sent', 'done'][n % 4], limit: 100 }),
  },
  {
    name: 'nested',
    rowsInAnswer: 420,
    targets: { handWritten: 0.9, postgraphile: 2 },
    engine: `query Nested($city: String!, $offset: Int!) {
      customers: customer(
        where: { city: { _eq: $city } }, order_by: { id: asc }, limit: 20, offset: $offset
      ) {
        id name
        purchases(order_by: { id: asc }, limit: 10) { id quantity product { id name } }
      }
    }`,
    postgraphile: `query Nested($city: String!, $offset: Int!) {
      customers: allCustomers(
        condition: { city: $city }, orderBy: ROW_ID_ASC, first: 20, offset: $offset
      ) {
        nodes {
          id: rowId name
          purchases: purchasesByCustomerId(orderBy: ROW_ID_ASC, first: 10) {
            nodes { id: rowId quantity product: productByProductId { id: rowId name } }
          }
        }
      }
    }`,
    variables: (n) => ({ city: ['Lagos', 'Lima'][n % 2], offset: n % 6 }),
  },
  {
    name: 'aggregate',
    rowsInAnswer: 50,
    targets: { handWritten: 0.9, postgraphile: 2 },
    engine: `query Aggregate($product: Int!) {
      purchases: purchase_aggregate(where: { product_id: { _eq: $product } }, order_by: { id: asc }) {
        aggregate { count }
        nodes { id quantity status }
      }
    }`,
    postgraphile: `query Aggregate($product: Int!) {
      purchases: allPurchases(condition: { productId: $product }, orderBy: ROW_ID_ASC) {
        aggregate: totalCount
        nodes { id: rowId quantity status }
      }
    }`,
    variables: (n, { products }) => ({ product: 1 + 2 * scatter(n, products / 2) }),
  },
  {
    name: 'insert_one',
    rowsInAnswer: 2,
    targets: { handWritten: 0.75, postgraphile: 1.5 },
    engine: `mutation Insert($customer: Int!, $product: Int!, $quantity: Int!) {
      purchase: insert_purchase_one(
        object: { customer_id: $customer, product_id: $product, quantity: $quantity, status: "open" }
      ) { customer_id quantity product { id name } }
    }`,
    postgraphile: `mutation Insert($customer: Int!, $product: Int!, $quantity: Int!) {
      created: createPurchase(input: { purchase: {
        customerId: $customer, productId: $product, quantity: $quantity, status: "open"
      } }) {
        purchase { customer_id: customerId quantity product: productByProductId { id: rowId name } }
      }
    }`,
    variables: (n, { customers, products }) => ({
      customer: 1 + 2 * scatter(n, customers / 2),
      product: 1 + 2 * scatter(n, products / 2),
      quantity: n % 9,
    }),
  },
]

/** Returns the nth number of a fixed, scattered order of `0 … size - 1`. */
function scatter(n: number, size: number): number {
  return (n * 7_919) % size
}
