import { Agent as HttpAgent, type IncomingMessage, request as overHttp } from 'node:http'
import { Agent as HttpsAgent, request as overHttps } from 'node:https'
import { requireValue } from '../require-value.ts'

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Creates a `fetch` for short JSON calls to a server, with node:http and keep-alive connections.
 *
 * The built-in `fetch` wraps each body in streams, so a call takes twice as much CPU time
 * (docs/decisions/services/0006-calls-to-hasura.md).
 *
 * @param timeoutMs the longest time for which the server may send nothing
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
          .then((answer) => toResponse(response, answer))
          .then(resolve, reject)
      })
      call.once('timeout', () => call.destroy(new Error(`no response within ${timeoutMs} ms`)))
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
 * Makes a Response with methods `text` and `json` that need no stream.
 *
 * @throws RangeError for a status that is not 200 to 599
 */
function toResponse({ statusCode, headers }: IncomingMessage, text: string): Response {
  const type = headers['content-type'] ?? ''
  const response = new Response(null, {
    status: requireValue(statusCode, 'the status of the response'),
    headers: { 'content-type': type },
  })
  return Object.assign(response, { text: async () => text, json: async () => JSON.parse(text) })
}
