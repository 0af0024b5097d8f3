import { randomBytes } from 'node:crypto'
import type { TestPlatform } from './start-platform.ts'

/** Creates a random hash, which no chain has. */
export function hash(): string {
  return `0x${randomBytes(32).toString('hex')}`
}

/** Creates the fields of a payment of 1 USDCE. */
export function paymentOf(app: string) {
  return {
    app_id: app,
    type: 'payment',
    reference: randomBytes(8).toString('hex'),
    chain: 'local',
    transaction_hash: hash(),
    token: 'USDCE',
    token_amount: '1000000',
    to: '0x00000000000000000000000000000000000000aa',
  }
}

const INSERT = `mutation ($row: transaction_insert_input!) {
  insert_transaction_one(object: $row) { id }
}`

/** Adds a transaction with the team's API key, as an app's server does, and returns its id. */
export async function insert(platform: TestPlatform, apiKey: string, row: object): Promise<string> {
  const { data } = await insert.raw(platform, apiKey, row)
  return data.insert_transaction_one.id
}

/** Adds a transaction, and returns the whole GraphQL response. */
insert.raw = async (platform: TestPlatform, apiKey: string, row: object) => {
  const headers = { authorization: `Bearer ${apiKey}` }
  const request = { query: INSERT, variables: { row } }
  return Object((await platform.post('/v1/graphql', request, headers)).body)
}

type StatusRequest = { id: string; app: string; key: string; type?: string }

/** Requests the status of a transaction. */
export async function query(
  { baseUrl }: { baseUrl: string },
  { id, app, key, type = 'payment' }: StatusRequest,
) {
  const url = `${baseUrl}/api/v2/minikit/transaction/${id}?app_id=${app}&type=${type}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const body: unknown = await response.json()
  return { status: response.status, headers: response.headers, body }
}

/** Requests the status of a transaction by its reference; `fields` override the query. */
export async function queryByReference(
  { baseUrl }: { baseUrl: string },
  { app, key }: { app: string; key: string },
  fields: Record<string, string>,
) {
  const search = new URLSearchParams({ app_id: app, type: 'payment', ...fields })
  const response = await fetch(`${baseUrl}/api/v2/minikit/transaction?${search}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  return { status: response.status, body: await response.json() }
}
