import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { hashToken } from '../../../../lib/runtime/secrets/secret.ts'
import { post, type Reply } from '../start-platform.ts'
import { platform, team } from '../verification-scene.ts'

// Payments of the scene's app, entered by mutations with idempotency keys.

const ENTER = `mutation Enter($payment: transaction_insert_input!) {
  insert_transaction_one(object: $payment) { id created_at }
}`

/** The answer to who repeats a request that is not answered yet. */
export const UNDER_WAY = { status: 409, body: { code: 'request_under_way' } }

/** A key that nobody has sent, in quotes. */
export function newKey() {
  return { 'idempotency-key': `"${randomUUID()}"` }
}

/** The header of a team, by default of the scene's. */
export function bearer({ apiKey } = team) {
  return { authorization: `Bearer ${apiKey}` }
}

/** The mutation that enters a payment. */
export function entering(payment: object) {
  return { query: ENTER, variables: { payment } }
}

export type Headers = Record<string, string>

/** Sends GraphQL as the scene's team, unless the headers say otherwise, to this instance or another. */
export function send(body: object, headers: Headers, { baseUrl }: { baseUrl: string } = platform) {
  return post(`${baseUrl}/v1/graphql`, body, { ...bearer(), ...headers })
}

/** The same for a payment that is to be entered. */
export function enter(payment: object, headers: Headers, where?: { baseUrl: string }) {
  return send(entering(payment), headers, where)
}

/** Repeats a request as long as the first is under way. */
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

type Keyed = { 'idempotency-key': string }

function hashOf(key: Keyed): string {
  return hashToken(key['idempotency-key'].replaceAll('"', ''))
}

/** What is kept of a key. */
export async function rowsOf(key: Keyed) {
  const { rows } = await platform.db.query('select * from answered_request where key_hash = $1', [
    hashOf(key),
  ])
  return rows
}

/** Makes what was answered with a key as old as that. */
export function ageAnswer(key: Keyed, interval: string) {
  return platform.db.query(
    'update answered_request set leased_at = now() - $1::interval where key_hash = $2',
    [interval, hashOf(key)],
  )
}
