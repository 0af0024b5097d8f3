import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import https from 'node:https'
import { http } from './node-http.ts'

/** A request to somebody else's server. */
export type OutgoingRequest = {
  method: string
  url: string
  headers: Readonly<Record<string, string | readonly string[]>>
  /** Sent as it is; null for no body. */
  body: string | null
  timeoutMs: number
  /** Whether the other side may get it twice, so that it can be sent again on a new connection. */
  isRepeatable: boolean
  signal?: AbortSignal
}

/** The complete answer to an outgoing request. */
export type OutgoingReply = { status: number; headers: IncomingHttpHeaders; text: string }

/**
 * One HTTP request to somebody else's server (a hook, an action's handler, a trigger's receiver) on
 * kept-alive connections; redirects are not followed.
 *
 * @throws Error when no complete reply arrives in time, or it is larger than 50 MB
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

/** The other side closed a kept-alive connection just as we used it, most likely because it was idle. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection'
}

/** Headers as logs list them: one entry for each value. */
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
  const headers = { ...outgoing.headers, ...length }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: outgoing.method, headers, agent, signal })
    sent.on('response', (response) => readWholeReply(response).then(resolve, reject))
    sent.on('error', (cause: NodeJS.ErrnoException) =>
      reject(
        sent.reusedSocket && cause.code === 'ECONNRESET'
          ? new StaleConnection(cause.message, { cause })
          : cause,
      ),
    )
    sent.end(body ?? undefined)
  })
}

async function readWholeReply(response: IncomingMessage): Promise<OutgoingReply> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > MAX_REPLY_BYTES) throw new Error('the reply is too large')
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}
