import { randomBytes } from 'node:crypto'
import type { TestPlatform } from './start-platform.ts'

/** A hash that no chain has. */
export function hash(): string {
  return `0x${randomBytes(32).toString('hex')}`
}

/** What an app enters: of 1 USDCE, unless said otherwise. */
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

/** Enters a row as an app's server does, and answers its id. */
export async function insert(platform: TestPlatform, apiKey: string, row: object): Promise<string> {
  const { data } = await insert.raw(platform, apiKey, row)
  return data.insert_transaction_one.id
}

/** The same with whatever GraphQL answers. */
insert.raw = async (platform: TestPlatform, apiKey: string, row: object) => {
  const headers = { authorization: `Bearer ${apiKey}` }
  const request = { query: INSERT, variables: { row } }
  return Object((await platform.post('/v1/graphql', request, headers)).body)
}

type Asked = { id: string; app: string; key: string; type?: string }

/** Asks for the status of a transaction. */
export async function query(
  { baseUrl }: { baseUrl: string },
  { id, app, key, type = 'payment' }: Asked,
) {
  const url = `${baseUrl}/api/v2/minikit/transaction/${id}?app_id=${app}&type=${type}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const body: unknown = await response.json()
  return { status: response.status, headers: response.headers, body }
}

/** The same by the app's own name for the transaction; a field that is given replaces one of the query's. */
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
