import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { freePort } from '../../../../local/process/free-port.ts'

export type ReceivedRequest = {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: unknown
  /** The body as text. */
  text: string
}

export type ReceiverReply = {
  status: number
  body?: unknown
  headers?: Record<string, string | string[]>
  /** Resolves when the reply may be sent. If absent, the reply is sent immediately. */
  after?: Promise<unknown>
}

export type Receiver = {
  url: string
  /** All requests so far, in order of arrival. */
  received: ReceivedRequest[]
  /** Waits until there are at least this many requests. */
  waitForRequests(atLeast: number): Promise<ReceivedRequest[]>
  close(): Promise<void>
}

/** Starts an HTTP server that the engine calls, for example as an action's handler or a trigger's webhook. */
export async function startReceiver(
  reply: (request: ReceivedRequest, nth: number) => ReceiverReply,
): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  const waiting = new Set<() => void>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const text = Buffer.concat(chunks).toString()
    const receivedRequest = { method, url, headers, body: parseJsonOrText(text), text }
    received.push(receivedRequest)
    for (const wake of waiting) wake()
    const { status, body, headers: replyHeaders, after } = reply(receivedRequest, received.length)
    await after
    response.writeHead(status, { 'content-type': 'application/json', ...replyHeaders })
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async waitForRequests(atLeast) {
      while (received.length < atLeast) {
        await new Promise<void>((resolve) => waiting.add(resolve))
        waiting.clear()
      }
      return received
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
