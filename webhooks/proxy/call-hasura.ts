import { ApiError } from '../../lib/runtime/errors.ts'
import { BodyTooLong, readBytes } from '../../lib/runtime/http/read-bytes.ts'
import { refusal } from './judge-request.ts'

/** What Hasura answers a client. */
export type HasuraAnswer = {
  status: number
  headers: Headers
  body: Buffer
  /** Whether it was given before. */
  isReplay?: boolean
}

/** An answer in the form of Hasura's that is not from Hasura. */
export function jsonAnswer(body: Buffer): HasuraAnswer {
  return { status: 200, headers: new Headers(), body }
}

export type HasuraCall = {
  endpoint: string
  /** The client's. */
  authorization: string | undefined
  requestId: string
  signal: AbortSignal
}

/**
 * Passes a request on. The only header that goes with it is `Authorization`: neither `x-hasura-*` nor the admin secret gets in from outside.
 *
 * @throws unavailable
 */
export async function callHasura(
  body: string,
  { endpoint, authorization, requestId, signal }: HasuraCall,
): Promise<HasuraAnswer> {
  const headers = new Headers({
    'x-request-id': requestId,
    // The answer leaves here uncompressed, so decompressing it would only cost time.
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

/** Never sent twice: the request may have changed something. */
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

/** More than the embedded engine answers; Hasura itself has no bound. */
const MAX_ANSWER_BYTES = 32_000_000

const ANSWER_TOO_LARGE = Buffer.from(
  JSON.stringify(
    refusal('query-too-costly', { path: '$', message: 'the answer is too large, ask for less' }),
  ),
)
