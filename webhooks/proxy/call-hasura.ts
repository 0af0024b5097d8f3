import { ApiError } from '../../lib/runtime/errors.ts'
import { BodyTooLong, readBytes } from '../../lib/runtime/http/read-bytes.ts'
import { refusal } from './judge-request.ts'

/** A response of Hasura to a client. */
export type HasuraAnswer = {
  status: number
  headers: Headers
  body: Buffer
  /** True if an earlier request with the same idempotency key got this response. */
  isReplay?: boolean
}

/** Creates a response that does not come from this request to Hasura: a refusal, or a stored response. */
export function jsonAnswer(body: Buffer): HasuraAnswer {
  return { status: 200, headers: new Headers(), body }
}

export type HasuraCall = {
  endpoint: string
  /** The client's header. */
  authorization: string | undefined
  requestId: string
  signal: AbortSignal
}

/**
 * Forwards a request to Hasura. Of the client's headers, forwards only `Authorization` and the request id, so that a client
 * cannot send `x-hasura-*` or the admin secret.
 *
 * @throws unavailable
 */
export async function callHasura(
  body: string,
  { endpoint, authorization, requestId, signal }: HasuraCall,
): Promise<HasuraAnswer> {
  const headers = new Headers({
    'x-request-id': requestId,
    // This server sends responses uncompressed, so a compressed response would only cost time.
    'accept-encoding': 'identity',
    'content-type': 'application/json',
  })
  if (authorization) headers.set('authorization', authorization)
  return fetchOnce(`${endpoint}/v1/graphql`, {
    method: 'POST',
    headers,
    body,
    signal,
  })
}

/** Sends a request without retries, since the request may have changed data. */
async function fetchOnce(url: string, init: RequestInit): Promise<HasuraAnswer> {
  try {
    const answer = await fetch(url, init)
    const { status, headers } = answer
    return { status, headers, body: await readBytes(answer, MAX_ANSWER_BYTES) }
  } catch (cause) {
    if (cause instanceof BodyTooLong) return jsonAnswer(ANSWER_TOO_LARGE)
    throw new ApiError('unavailable', { cause })
  }
}

/** The maximum size of a response. The embedded engine has a lower limit; Hasura has none. */
const MAX_ANSWER_BYTES = 32_000_000

const ANSWER_TOO_LARGE = Buffer.from(
  JSON.stringify(
    refusal('query-too-costly', { path: '$', message: 'the answer is too large, ask for less' }),
  ),
)
