import type { ServerResponse } from 'node:http'
import type { Request } from 'express'
import { ApiError } from '../errors.ts'
import { hashToken } from '../secrets/secret.ts'

/** The header by which a caller says that two requests are one, as the draft of the IETF has it. */
export const IDEMPOTENCY_KEY = 'idempotency-key'

/** The header of an answer that was given before. */
export const IDEMPOTENT_REPLAYED = 'idempotent-replayed'

/** For how long a key is kept: after that it is as if it had never been sent. */
const KEY_KEPT_MS = 86_400_000

/** A request that may be repeated: the SHA-256 of its key, and of what it asks for. */
export type Repeatable = { keyHash: string; fingerprint: string }

/**
 * Reads a request's idempotency key.
 *
 * @param meaning what makes two requests with one key the same
 * @returns null when it has none
 * @throws validation_error
 */
export function readRepeatable(request: Request, meaning: () => string): Repeatable | null {
  const header = request.headers[IDEMPOTENCY_KEY]
  if (header === undefined) return null
  const key = parseIdempotencyKey(String(header))
  if (key === null) throw new ApiError('validation_error', MALFORMED)
  return { keyHash: hashToken(key), fingerprint: hashToken(meaning()) }
}

const MALFORMED = {
  attribute: IDEMPOTENCY_KEY,
  detail: 'A key has 1 to 255 printable ASCII characters, in double quotes.',
}

/** Keys that were sent before this time (ISO 8601) are kept no more. */
export function oldestKept(now: number): string {
  return new Date(now - KEY_KEPT_MS).toISOString()
}

/** A string of RFC 8941, which is in quotes; none of its escapes counts as two characters. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/

/** Without quotes, no character that has a meaning in a structured header. */
const UNQUOTED = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,255}$/

/**
 * The key in a header: in quotes, as the draft demands, or without them, as many clients send it; both are the same key.
 *
 * @returns null when it is malformed, or there is more than one
 * @see draft-ietf-httpapi-idempotency-key-header-07, section 2.1
 */
function parseIdempotencyKey(header: string): string | null {
  if (UNQUOTED.test(header)) return header
  return QUOTED.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? null
}

/**
 * Makes sure that a request is the one that was answered under its key.
 *
 * @throws idempotency_key_reused
 */
export function requireSameRequest(
  answered: Pick<Repeatable, 'fingerprint'>,
  { fingerprint }: Repeatable,
): void {
  if (answered.fingerprint !== fingerprint)
    throw new ApiError('idempotency_key_reused', { attribute: IDEMPOTENCY_KEY })
}

/** Tells the caller that the request was carried out earlier. */
export function markReplayed(response: ServerResponse): void {
  response.setHeader(IDEMPOTENT_REPLAYED, 'true')
}
