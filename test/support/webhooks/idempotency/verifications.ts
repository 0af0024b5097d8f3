import { randomUUID } from 'node:crypto'
import { post } from '../start-platform.ts'
import { app, platform } from '../verification-scene.ts'

// Verifications for the scene's app with idempotency keys.

export const USED_UP = { status: 400, body: { code: 'max_verifications_reached' } }
export const REUSED = {
  status: 422,
  body: { code: 'idempotency_key_reused', attribute: 'idempotency-key' },
}

/** A key that nobody has sent, without quotes. */
export function newKey() {
  return { 'idempotency-key': randomUUID() }
}

/** Where people verify for an app. */
export function urlOf(id: string, baseUrl = platform.baseUrl): string {
  return `${baseUrl}/api/v2/verify/${id}`
}

type Where = { baseUrl?: string; id?: string }

/** Verifies for the scene's app, unless said otherwise, at this instance or another. */
export function verify(
  body: object,
  headers: Record<string, string> = {},
  { baseUrl, id = app }: Where = {},
) {
  return post(urlOf(id, baseUrl), body, headers)
}

/** How often a person was counted. */
export async function usesOf(body: object): Promise<number> {
  const { rows } = await platform.db.query(
    'select coalesce(sum(uses), 0)::int as uses from nullifier where nullifier_hash = $1',
    [Object(body).nullifier_hash],
  )
  return rows[0].uses
}

/** Makes the key of a person's request as old as that. */
export function ageRequest(body: object, interval: string) {
  return platform.db.query(
    'update counted_request set created_at = now() - $1::interval where nullifier_hash = $2',
    [interval, Object(body).nullifier_hash],
  )
}
