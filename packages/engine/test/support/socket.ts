import { once } from 'node:events'
import { WebSocket } from 'ws'
import { ADMIN_SECRET } from './start-engine.ts'

export type Message = { type: string; id?: string; payload?: unknown }

export type Socket = {
  send(message: object | string): void
  /**
   * Returns the next message, without keep-alives.
   *
   * @throws Error if the socket is closed and no message is left
   */
  next(): Promise<Message>
  /** The messages that arrived and that `next` has not returned yet. */
  unread: Message[]
  closed: Promise<{ code: number; reason: string }>
  /** All messages, including keep-alives. */
  all: Message[]
  ws: WebSocket
}

/** Opens a WebSocket to the engine without sending the protocol's messages. */
export async function openSocket(
  url: string,
  protocol: string | undefined,
  headers: Record<string, string> = {},
  path = '/v1/graphql',
): Promise<Socket> {
  const ws = new WebSocket(`${url.replace('http', 'ws')}${path}`, protocol, { headers })
  const unread: Message[] = []
  const all: Message[] = []
  const state = { wake: () => {} }
  ws.on('message', (data) => {
    const message: Message = JSON.parse(String(data))
    all.push(message)
    if (message.type !== 'ka' && message.type !== 'ping') unread.push(message)
    state.wake()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    ws.on('close', (code, reason) => {
      resolve({ code, reason: String(reason) })
      state.wake()
    }),
  )
  await once(ws, 'open')
  return {
    ws,
    all,
    unread,
    closed,
    send: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async next() {
      for (;;) {
        const message = unread.shift()
        if (message) return message
        if (ws.readyState === WebSocket.CLOSED) throw new Error('the socket is closed')
        await new Promise<void>((resolve) => {
          state.wake = resolve
        })
      }
    },
  }
}

/** Opens a WebSocket and completes the handshake, as admin or with these headers. */
export async function openReadySocket(
  url: string,
  headers: Record<string, string> = { 'x-hasura-admin-secret': ADMIN_SECRET },
  protocol = 'graphql-transport-ws',
  path?: string,
): Promise<Socket> {
  const socket = await openSocket(url, protocol, {}, path)
  socket.send({ type: 'connection_init', payload: { headers } })
  const { type } = await socket.next()
  if (type !== 'connection_ack') throw new Error(`not admitted: ${type}`)
  return socket
}
