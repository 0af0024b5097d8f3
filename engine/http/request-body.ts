import type { IncomingMessage } from 'node:http'
import { parseExactJson } from '../../lib/exact-json.ts'
import { EngineError } from '../errors.ts'

/**
 * Reads a request's body whole.
 *
 * @throws bad-request with status 413 when it is longer than `limit` bytes; invalid-json when it is not UTF-8
 */
export async function readBody(request: IncomingMessage, limit: number): Promise<string> {
  return decodeUtf8(await collectBody(request, limit))
}

/**
 * JSON of a body; numbers keep the digits that a double may not hold.
 *
 * @throws invalid-json
 */
export function parseJsonText(body: string): unknown {
  try {
    return parseExactJson(body)
  } catch (cause) {
    throw invalidJson(String(cause), cause)
  }
}

/**
 * How much of a refused body is still read:
 * a client that is cut off while sending would not see the answer.
 */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024

// Uses events, not `for await`: this runs on every request, and the iterator costs three times as much.
function collectBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= limit) chunks.push(chunk)
      if (length > limit + MAX_DISCARDED_BYTES) reject(bodyTooLarge(limit))
    })
    request.on('end', () => {
      if (length > limit) reject(bodyTooLarge(limit))
      else resolve(chunks[0] && chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new EngineError('bad-request', 'the body ended early'))
    })
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeUtf8(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch (cause) {
    throw invalidJson('the body is not UTF-8', cause)
  }
}

function bodyTooLarge(limit: number): EngineError {
  return new EngineError('bad-request', `the body is larger than ${limit} bytes`, { status: 413 })
}

function invalidJson(message: string, cause: unknown): EngineError {
  return new EngineError('invalid-json', message, { cause })
}
