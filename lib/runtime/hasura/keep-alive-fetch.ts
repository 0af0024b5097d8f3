import { Agent as HttpAgent, type IncomingMessage, request as overHttp } from 'node:http'
import { Agent as HttpsAgent, request as overHttps } from 'node:https'
import { present } from '../present.ts'

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * A `fetch` for short JSON exchanges with one server, over node:http and kept connections.
 *
 * The built-in one wraps each body in streams: during a verification that cost more CPU than everything
 * else that the calling thread does (docs/decisions/services/0006-calls-to-hasura.md).
 *
 * @param timeoutMs how long the server may be silent
 */
export function createKeepAliveFetch(timeoutMs: number): Fetch {
  const http = new HttpAgent({ keepAlive: true })
  const https = new HttpsAgent({ keepAlive: true })

  return (input, { method = 'GET', headers, body } = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const text = typeof body === 'string' ? body : ''
    const options = {
      method,
      timeout: timeoutMs,
      headers: { ...headersToObject(headers), 'content-length': Buffer.byteLength(text) },
    }
    const secure = url.protocol === 'https:'
    return new Promise((resolve, reject) => {
      const call = secure
        ? overHttps(url, { ...options, agent: https })
        : overHttp(url, { ...options, agent: http })
      call.once('response', (response) => {
        readText(response)
          .then((answered) => toResponse(response, answered))
          .then(resolve, reject)
      })
      call.once('timeout', () => call.destroy(new Error(`no answer within ${timeoutMs} ms`)))
      call.once('error', reject).end(text)
    })
  }
}

function headersToObject(headers: RequestInit['headers']): Record<string, string> {
  return Object.fromEntries(new Headers(headers))
}

function readText(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    response.once('error', reject).once('end', () => resolve(text))
  })
}

/**
 * Answers `text` and `json` from the text at hand, without making a stream of it.
 *
 * @throws RangeError for a status that HTTP does not know
 */
function toResponse({ statusCode, headers }: IncomingMessage, text: string): Response {
  const type = headers['content-type'] ?? ''
  const response = new Response(null, {
    status: present(statusCode, 'the status of an answer'),
    headers: { 'content-type': type },
  })
  return Object.assign(response, { text: async () => text, json: async () => JSON.parse(text) })
}
