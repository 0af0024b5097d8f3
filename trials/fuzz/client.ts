import { Agent, request as open } from 'node:http'
import { connect } from 'node:net'
import { requireValue } from '../../lib/runtime/require-value.ts'
import type { Answer, Attack, HttpAnswer } from './attack.ts'

const TIMEOUT_MS = 20_000

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

/** Sends an attack as a well-behaved client would frame it; an Error when there was no answer. */
export function sendAttack(baseUrl: string, attack: Attack): Promise<HttpAnswer | Error> {
  const started = performance.now()
  return new Promise((resolve) => {
    const { hostname, port } = new URL(baseUrl)
    const { method, path, headers, body } = attack
    const length = { 'content-length': Buffer.byteLength(body ?? '') }
    const call = open(
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
            ms: performance.now() - started,
          })
        })
      },
    )
    call.once('timeout', () => call.destroy(new Error('timeout')))
    // The server may close a kept connection just as it is used again; a client then tries once more.
    call.once('error', (error) => {
      if (call.reusedSocket && isReset(error)) resolve(sendAttack(baseUrl, attack))
      else resolve(error)
    })
    call.end(body ?? undefined)
  })
}

function isReset(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

/**
 * Sends bytes as they are, and reads until the other end closes or is silent for a while.
 *
 * @returns every answer in what came back
 */
export function sendRawBytes(
  baseUrl: string,
  bytes: string | Buffer,
  quietMs = 400,
): Promise<Answer[]> {
  const { hostname, port } = new URL(baseUrl)
  const started = performance.now()
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(Number(port), hostname)
    const end = () => {
      socket.destroy()
      const ms = performance.now() - started
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
