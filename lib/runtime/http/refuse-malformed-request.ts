import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '../errors.ts'
import type { ErrorBody } from './error-body.ts'

/**
 * Answers bytes that Node cannot parse as a request with an error in our usual form. Then closes the connection,
 * because the start of the next request is unknown.
 */
export function refuseMalformedRequest(cause: Error, socket: Duplex, errorBody: ErrorBody): void {
  const error = translateParserError(cause)
  const body = JSON.stringify(errorBody(error, error.message))
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `x-request-id: ${randomUUID()}`,
    ...HEADERS,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
  closeWhenRead(socket)
}

/** True if a connection had a malformed request and is about to close. */
export function isRefused(socket: Duplex): boolean {
  return refusedSockets.has(socket)
}

const refusedSockets = new WeakSet<Duplex>()

/**
 * Discards further bytes for a moment, then closes the connection. Closing with unread bytes would reset the
 * connection, and the client might never see the response (RFC 9112, section 9.6).
 */
function closeWhenRead(socket: Duplex): void {
  refusedSockets.add(socket)
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
  socket.resume()
}

const LINGER_MS = 1_000

/** The headers that every error response of a service has, except headers that have no effect on JSON. */
const HEADERS = [
  'cache-control: no-store',
  'strict-transport-security: max-age=31536000; includeSubDomains',
  'x-content-type-options: nosniff',
]

/** Translates an error of Node's HTTP parser. The status is the one with which Node answers by default. */
function translateParserError(cause: NodeJS.ErrnoException): ApiError {
  if (cause.code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('payload_too_large', {
      status: 431,
      detail: 'The request line and headers are too large.',
    })
  if (cause.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new ApiError('payload_too_large')
  if (cause.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError('invalid_request', {
      status: 408,
      detail: 'The request took too long to arrive.',
    })
  return new ApiError('invalid_request', { detail: 'The request is malformed.' })
}
