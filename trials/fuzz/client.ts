import { Agent, request as open } from 'node:http'
import { connect } from 'node:net'
import { requireValue } from '../../lib/runtime/require-value.ts'
import type { Attack, HttpResponse, RawResponse } from './attack.ts'

const TIMEOUT_MS = 20_000

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends an attack as a valid HTTP message. Returns an Error if there was no response. */
export function sendAttack(baseUrl: string, attack: Attack): Promise<HttpResponse | Error> {
  const startTime = performance.now()
  return new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl)
    const { method, path, headers, body } = attack
    const length = { 'content-length': Buffer.byteLength(body ?? '') }
    const clientRequest = open(
      {
        agent,
        hostname,
        port,
        method,
        path,
        headers: { ...length, ...headers },
        timeout: TIMEOUT_MS,
      },
      async (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', resolve).once('end', () => {
          const body = Buffer.concat(chunks).toString()
          const [type = ''] = (response.headers['content-type'] ?? '').split(';')
          resolve({
            status: requireValue(response.statusCode, 'the status of an answer'),
            type,
            body,
            text: `${JSON.stringify(response.headers)}\n${body}`,
            ms: performance.now() - startTime,
          })
        })
      },
    )
    clientRequest.once('timeout', () => clientRequest.destroy(new Error('timeout')))
    // The server may close a kept-alive connection just when this client reuses it. Other clients retry in this case, too.
    clientRequest.once('error', (error) => {
      if (clientRequest.reusedSocket && isReset(error)) resolve(sendAttack(baseUrl, attack))
      else resolve(error)
    })
    clientRequest.end(body ?? undefined)
  })
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

/**
 * Sends raw bytes, and reads until the server closes the connection or sends nothing for `quietMs`.
 *
 * @returns the responses
 */
export function sendRawBytes(
  baseUrl: string,
  bytes: string | Buffer,
  quietMs = 400,
): Promise<RawResponse[]> {
  const { hostname, port } = new URL(baseUrl)
  const startTime = performance.now()
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname)
    const end = () => {
      socket.destroy()
      const ms = performance.now() - startTime
      const answers = text.split(/(?=HTTP\/1\.1 \d{3} )/).filter(Boolean)
      resolve(answers.map((answer) => ({ status: Number(answer.slice(9, 12)), text: answer, ms })))
    }
    socket.setTimeout(quietMs, end)
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    socket.once('error', end).once('close', end)
    socket.write(bytes)
  })
}
