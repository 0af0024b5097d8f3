import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose'
import { z } from 'zod'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { USER_AGENT } from '../config/version.ts'
import { jsonOrNull } from '../json/json-or-null.ts'
import { sendRequest } from '../outgoing/send-request.ts'
import { keysLifetimeMs } from './jwks-lifetime.ts'

/** Verifies a token with the keys of a JSON Web Key Set. @throws the errors of jose, and JwksUnavailable */
export type VerifyByJwks = (token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>

/** The error if the engine has no keys yet, because no attempt to fetch them has succeeded. */
export class JwksUnavailable extends Error {
  override readonly name = 'JwksUnavailable'
}

/**
 * Creates a function that verifies tokens with the keys at a URL. It tries every key that fits the token's algorithm,
 * and ignores the key ID in the token.
 *
 * The keys are fetched for the first token, and again for the first token after their lifetime. All tokens wait while
 * keys are fetched. The old keys stay in use if new keys cannot be fetched, as in Hasura.
 */
export function verifyByJwks(url: string, log: Log): VerifyByJwks {
  let keys: JSONWebKeySet | null = null
  let staleAt = 0
  let fetching: Promise<void> | null = null

  async function refresh() {
    try {
      const keySet = await fetchJwks(url)
      keys = keySet.keys
      staleAt = Date.now() + keySet.lifetimeMs
    } catch (cause) {
      log.warn({ url, cause }, 'the keys of jwk_url cannot be fetched')
      staleAt = Date.now() + (keys ? RETRY_MS : FIRST_RETRY_MS)
    } finally {
      fetching = null
    }
  }

  return async (token, options) => {
    if (Date.now() >= staleAt) {
      fetching ??= refresh()
      await fetching
    }
    if (!keys) throw new JwksUnavailable('the keys of jwk_url cannot be fetched')
    return verifyByAnyKey(token, keys, options)
  }
}

/**
 * How long the engine waits after a failed fetch before it fetches again: RETRY_MS if it has old keys, FIRST_RETRY_MS
 * if it has none.
 */
const RETRY_MS = 60_000
const FIRST_RETRY_MS = 1_000

/** The schema of a JSON Web Key Set. Removes `kid` from the keys, so that a token cannot choose a key. */
const Jwks = z.object({
  keys: z
    .array(z.looseObject({ kty: z.string() }).transform(({ kid: _kid, ...key }) => key))
    .max(1_000),
})

async function fetchJwks(url: string): Promise<{ keys: JSONWebKeySet; lifetimeMs: number }> {
  const { status, headers, text } = await sendRequest({
    method: 'GET',
    url,
    headers: { 'User-Agent': USER_AGENT },
    body: null,
    timeoutMs: 5_000,
    isRepeatable: true,
    maxReplyBytes: 1024 * 1024,
  })
  if (status < 200 || status >= 300)
    throw new Error(`the server of jwk_url responded with status ${status}`)
  const keys = Jwks.safeParse(jsonOrNull(text))
  if (!keys.success) throw new Error('the server of jwk_url did not send a JSON Web Key Set')
  return { keys: keys.data, lifetimeMs: keysLifetimeMs(headers, Date.now()) }
}

async function verifyByAnyKey(token: string, keys: JSONWebKeySet, options: JWTVerifyOptions) {
  const findByHeader = createLocalJWKSet(keys)
  const findKey = ({ kid: _kid, ...header }: JWTHeaderParameters) => findByHeader(header)
  try {
    return await jwtVerify(token, findKey, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      const result = await jwtVerify(token, key, options).catch(ignoreWrongKey)
      if (result) return result
    }
    throw new errors.JWSSignatureVerificationFailed('no key verifies the signature', {
      cause: error,
    })
  }
}

/** Returns null if another key signed the token; rethrows every other error. */
function ignoreWrongKey(error: unknown): null {
  if (error instanceof errors.JWSSignatureVerificationFailed) return null
  throw error
}
