import type { ServerResponse } from 'node:http'
import type { Request } from 'express'
import { ApiError } from '../errors.ts'
import { hashToken } from '../secrets/secret.ts'

/** The request header that marks a retry: requests with the same key take effect once (a draft of the IETF). */
export const IDEMPOTENCY_KEY = 'idempotency-key'

/** The header of a response that was already sent to an earlier request. */
export const IDEMPOTENT_REPLAYED = 'idempotent-replayed'

/** After this time, a key is forgotten. */
const KEY_LIFETIME_MS = 86_400_000

/** A request with an idempotency key: the SHA-256 hashes of the key and of the request's content. */
export type IdempotentRequest = { keyHash: string; fingerprint: string }

/**
 * Reads a request's idempotency key.
 *
 * @param meaning returns the content that two requests with the same key must share
 * @returns null if the request has no key
 * @throws validation_error if the key is malformed
 */
export function readIdempotentRequest(
  request: Request,
  meaning: () => string,
): IdempotentRequest | null {
  const header = request.headers[IDEMPOTENCY_KEY]
  if (header === undefined) return null
  const key = parseIdempotencyKey(String(header))
  if (key === null) throw new ApiError('validation_error', MALFORMED)
  return { keyHash: hashToken(key), fingerprint: hashToken(meaning()) }
}

const MALFORMED = {
  attribute: IDEMPOTENCY_KEY,
  detail: 'The key must have 1 to 255 printable ASCII characters, in double quotes.',
}

/** Returns a time in ISO 8601. Keys from before this time are forgotten. */
export function oldestKeyTime(now: number): string {
  return new Date(now - KEY_LIFETIME_MS).toISOString()
}

/** A quoted string of RFC 8941; an escape counts as a single character. */
const QUOTED_KEY = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/

/** A key without quotes. No character of it may have a meaning in a structured header. */
const BARE_KEY = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,255}$/

/**
 * Parses the key, with quotes as the draft requires, or without quotes as many clients send it. Both are the same key.
 *
 * @returns null if the header is malformed or has several keys
 * @see draft-ietf-httpapi-idempotency-key-header-07, section 2.1
 */
function parseIdempotencyKey(header: string): string | null {
  if (BARE_KEY.test(header)) return header
  return QUOTED_KEY.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? null
}

/** @throws idempotency_key_reused if the earlier request with the same key had other content */
export function requireSameRequest(
  earlier: Pick<IdempotentRequest, 'fingerprint'>,
  { fingerprint }: IdempotentRequest,
): void {
  if (earlier.fingerprint !== fingerprint)
    throw new ApiError('idempotency_key_reused', { attribute: IDEMPOTENCY_KEY })
}

/** Marks a response that was already sent to an earlier request. */
export function markReplayed(response: ServerResponse): void {
  response.setHeader(IDEMPOTENT_REPLAYED, 'true')
}
