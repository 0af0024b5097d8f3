import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { hashToken } from '../../../../lib/runtime/secrets/secret.ts'
import { post, type Reply } from '../start-platform.ts'
import { platform, team } from '../verification-scene.ts'

// The mutations add payments to the scene's app, with idempotency keys.

const ENTER = `mutation Enter($payment: transaction_insert_input!) {
  insert_transaction_one(object: $payment) { id created_at }
}`

/** The response to a retry while the first request is running. */
export const STILL_RUNNING = { status: 409, body: { code: 'request_under_way' } }

/** Creates the header of an unused key, in quotes. */
export function newKey() {
  return { 'idempotency-key': `"${randomUUID()}"` }
}

/** Creates the authorization header of a team, by default the team of the scene. */
export function bearer({ apiKey } = team) {
  return { authorization: `Bearer ${apiKey}` }
}

/** Creates the GraphQL request that adds a payment. */
export function createAddRequest(payment: object) {
  return { query: ENTER, variables: { payment } }
}

export type Headers = Record<string, string>

/** Sends a GraphQL request to an instance, by default as the scene's team. */
export function send(body: object, headers: Headers, { baseUrl }: { baseUrl: string } = platform) {
  return post(`${baseUrl}/v1/graphql`, body, { ...bearer(), ...headers })
}

/** Adds a payment by a mutation. */
export function addPayment(payment: object, headers: Headers, instance?: { baseUrl: string }) {
  return send(createAddRequest(payment), headers, instance)
}

/** Sends a request again while it gets 409 or 429, for example because the first request with the key is running. */
export function untilAnswered(call: () => Promise<Reply>): Promise<Reply> {
  return vi.waitFor(
    async () => {
      const reply = await call()
      expect([409, 429]).not.toContain(reply.status)
      return reply
    },
    { timeout: 60_000, interval: 50 },
  )
}

type KeyHeader = { 'idempotency-key': string }

function hashOf(key: KeyHeader): string {
  return hashToken(key['idempotency-key'].replaceAll('"', ''))
}

/** Reads the rows that are stored for a key. */
export async function rowsOf(key: KeyHeader) {
  const { rows } = await platform.db.query('select * from answered_request where key_hash = $1', [
    hashOf(key),
  ])
  return rows
}

/** Makes the stored lease of a key this old. */
export function ageAnswer(key: KeyHeader, interval: string) {
  return platform.db.query(
    'update answered_request set leased_at = now() - $1::interval where key_hash = $2',
    [interval, hashOf(key)],
  )
}
