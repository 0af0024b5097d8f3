import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { requireValue } from '../../../lib/runtime/require-value.ts'
import { http } from './node-http.ts'

/** An HTTP request to another server. */
export type OutgoingRequest = {
  method: string
  url: string
  headers: Readonly<Record<string, string | readonly string[]>>
  /** Null for a request without a body. */
  body: string | null
  timeoutMs: number
  /** True if the server may get the request twice. Then the request is sent again if an idle connection turns out to be closed. */
  isRepeatable: boolean
  /** The largest decompressed reply; default: 50 MiB. */
  maxReplyBytes?: number
  signal?: AbortSignal
}

/** The complete reply to a request. */
export type OutgoingReply = { status: number; headers: IncomingHttpHeaders; text: string }

/**
 * Sends one HTTP request to another server (an authentication hook, an action's handler, a trigger's webhook) on a keep-alive
 * connection. Follows no redirects.
 *
 * @throws Error if no complete reply arrives in time, for example because the connection fails, or if the reply is too large
 */
export async function sendRequest(outgoing: OutgoingRequest): Promise<OutgoingReply> {
  const deadline = AbortSignal.timeout(outgoing.timeoutMs)
  const signal = outgoing.signal ? AbortSignal.any([deadline, outgoing.signal]) : deadline
  try {
    return await attemptRequest(outgoing, signal)
  } catch (cause) {
    if (deadline.aborted) throw new Error('Response timeout', { cause })
    if (outgoing.isRepeatable && cause instanceof StaleConnection)
      return attemptRequest(outgoing, signal)
    throw cause
  }
}

/** The error for a keep-alive connection that the server closed just as a request used it, probably because it was idle. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection'
}

/** Converts headers to the form of Hasura's logs: one entry for each value. */
export function headerList(headers: IncomingHttpHeaders): { name: string; value: string }[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value) => ({ name, value })),
  )
}

const MAX_REPLY_BYTES = 50 * 1024 * 1024

const AGENTS = {
  'http:': { request: http.request, agent: new http.Agent({ keepAlive: true }) },
  'https:': { request: https.request, agent: new https.Agent({ keepAlive: true }) },
} as const

function attemptRequest(outgoing: OutgoingRequest, signal: AbortSignal): Promise<OutgoingReply> {
  const url = new URL(outgoing.url)
  const { request, agent } = url.protocol === 'https:' ? AGENTS['https:'] : AGENTS['http:']
  const body = outgoing.body === null ? null : Buffer.from(outgoing.body)
  const length = body === null ? {} : { 'content-length': String(body.length) }
  const headers = { 'Accept-Encoding': 'gzip', ...outgoing.headers, ...length }
  return new Promise((resolve, reject) => {
    const pending = request(url, { method: outgoing.method, headers, agent, signal })
    const maxBytes = outgoing.maxReplyBytes ?? MAX_REPLY_BYTES
    pending.on('response', (response) => readWholeReply(response, maxBytes).then(resolve, reject))
    pending.on('error', (cause: NodeJS.ErrnoException) =>
      reject(
        pending.reusedSocket && cause.code === 'ECONNRESET'
          ? new StaleConnection(cause.message, { cause })
          : cause,
      ),
    )
    pending.end(body ?? undefined)
  })
}

async function readWholeReply(response: IncomingMessage, maxBytes: number): Promise<OutgoingReply> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of decompress(response)) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error('the reply is too large')
    chunks.push(chunk)
  }
  const status = requireValue(response.statusCode, 'the status of a response')
  return { status, headers: response.headers, text: Buffer.concat(chunks).toString() }
}

function decompress(response: IncomingMessage): AsyncIterable<Buffer> {
  if (response.headers['content-encoding']?.toLowerCase() !== 'gzip') return response
  // An error of either stream ends the other stream, and the loop that reads it.
  return pipeline(response, createGunzip(), () => {})
}
