import type { IncomingMessage } from 'node:http'
import { parseExactJson } from '../../../../lib/runtime/exact-json.ts'
import { EngineError } from '../../errors.ts'

/**
 * Reads the whole body of a request.
 *
 * @throws bad-request with status 413 if it is longer than `maxBytes`, invalid-json if it is not UTF-8
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<string> {
  return decodeUtf8(await collectBody(request, maxBytes))
}

/**
 * Parses JSON. Numbers keep digits that a double cannot hold.
 *
 * @throws invalid-json
 */
export function parseJsonText(body: string): unknown {
  const value = parseBody(body)
  if (SURROGATE.test(body) && LONE_SURROGATE.test(JSON.stringify(value)))
    throw invalidJson('Cannot decode input: Invalid UTF-8 stream', null)
  return value
}

function parseBody(body: string): unknown {
  try {
    return parseExactJson(body)
  } catch (cause) {
    throw invalidJson(String(cause), cause)
  }
}

/** An escaped half of a surrogate pair. `JSON.stringify` writes this escape only if the other half is missing. */
const SURROGATE = /\\ud[89a-f]/i
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/**
 * The number of bytes above the limit that the engine reads and discards. A client that first sends its whole body then gets
 * the error.
 */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024

// Uses events, because this function runs for every request, and `for await` takes three times as long.
function collectBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) chunks.push(chunk)
      if (length > maxBytes + MAX_DISCARDED_BYTES) reject(bodyTooLarge(maxBytes))
    })
    request.on('end', () => {
      if (length > maxBytes) reject(bodyTooLarge(maxBytes))
      else resolve(chunks[0] && chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    })
    request.on('error', reject)
    request.on('close', () => {
      if (!request.complete) reject(new EngineError('bad-request', 'the body ended early'))
    })
  })
}

// Keeps a byte order mark, which is then invalid JSON.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(body: Buffer): string {
  try {
    return utf8.decode(body)
  } catch (cause) {
    throw invalidJson('the body is not UTF-8', cause)
  }
}

function bodyTooLarge(maxBytes: number): EngineError {
  return new EngineError('bad-request', `the body is larger than ${maxBytes} bytes`, {
    status: 413,
  })
}

function invalidJson(message: string, cause: unknown): EngineError {
  return new EngineError('invalid-json', message, { cause })
}
