import { randomUUID } from 'node:crypto'
import { post } from '../start-platform.ts'
import { app, platform } from '../verification-scene.ts'

// The verifications are for the scene's app, with idempotency keys.

export const LIMIT_REACHED = { status: 400, body: { code: 'max_verifications_reached' } }
export const REUSED = {
  status: 422,
  body: { code: 'idempotency_key_reused', attribute: 'idempotency-key' },
}

/** Creates the header of an unused key, without quotes. */
export function newKey() {
  return { 'idempotency-key': randomUUID() }
}

/** Returns the URL at which people verify for an app. */
export function urlOf(id: string, baseUrl = platform.baseUrl): string {
  return `${baseUrl}/api/v2/verify/${id}`
}

type Where = { baseUrl?: string; id?: string }

/** Verifies a person at an instance, by default for the scene's app. */
export function verify(
  body: object,
  headers: Record<string, string> = {},
  { baseUrl, id = app }: Where = {},
) {
  return post(urlOf(id, baseUrl), body, headers)
}

/** Counts the recorded uses of a person. */
export async function usesOf(body: object): Promise<number> {
  const { rows } = await platform.db.query(
    'select coalesce(sum(uses), 0)::int as uses from nullifier where nullifier_hash = $1',
    [Object(body).nullifier_hash],
  )
  return rows[0].uses
}

/** Makes the stored keys of a person's requests this old. */
export function ageRequest(body: object, interval: string) {
  return platform.db.query(
    'update counted_request set created_at = now() - $1::interval where nullifier_hash = $2',
    [interval, Object(body).nullifier_hash],
  )
}
