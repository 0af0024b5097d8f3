import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { readRequestId } from '../../lib/http/request-context.ts'
import type { Sockets } from '../../lib/http/serve.ts'
import type { Log } from '../../lib/telemetry/log.ts'
import { GRAPHQL_LIMIT } from '../route/read-input.ts'
import { cleanse } from './socket-message.ts'

type Settings = { endpoint: string; timeoutMs: number; idleMs: number; log: Log }

/** Sockets open at a time; each costs Hasura one too. */
const MOST_SOCKETS = 10_000
/** Bytes of one answer, at most. */
const ANSWER_LIMIT = 64 * 1024 * 1024
/** Bytes that may wait to be sent to one side before the other is no longer read. */
const MOST_WAITING_BYTES = 1024 * 1024
/** How long a client may take to send `connection_init`, unless `idleMs` is shorter. */
const INIT_MS = 10_000
/** How long either side may take to answer our close before it is cut off. */
const CLOSE_MS = 1_000

/**
 * Carries WebSockets of `/v1/graphql` to Hasura and back, in either GraphQL protocol.
 *
 * The only credential passed on is `Authorization`, from the upgrade or from `connection_init`, which
 * wins. It always travels in that message: no header of the client's upgrade reaches Hasura. Pages of any
 * origin may connect, since nothing that a browser adds by itself (a cookie) is passed on.
 *
 * @param settings.idleMs a side without a sign of life for this long is cut off, and the other with it
 */
export function forwardSockets(settings: Settings): Sockets {
  const { endpoint, timeoutMs } = settings
  const url = `${endpoint.replace(/^http/, 'ws')}/v1/graphql`
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: GRAPHQL_LIMIT,
    handleProtocols: chosenOf,
  })
  let isStopping = false
  return {
    upgrade(request, socket, head) {
      socket.on('error', () => {})
      if (!SERVED.test(request.url ?? '')) return refuse(socket, '404 Not Found')
      if (isStopping || server.clients.size >= MOST_SOCKETS)
        return refuse(socket, '503 Service Unavailable')
      const requestId = readRequestId(request.headers)
      const upstream = new WebSocket(url, offeredBy(request), {
        headers: { 'x-request-id': requestId },
        handshakeTimeout: timeoutMs,
        maxPayload: ANSWER_LIMIT,
        perMessageDeflate: false,
      })
      // The client's upgrade is accepted only once Hasura has accepted ours.
      const log = settings.log.child({ request_id: requestId })
      const unreachable = (err: Error) => {
        log.error({ err }, 'no socket to Hasura')
        refuse(socket, '503 Service Unavailable')
      }
      const gone = () => upstream.terminate()
      socket.once('close', gone)
      upstream.once('error', unreachable)
      upstream.once('open', () => {
        // Calls back at once, or never: what is no WebSocket it refuses by itself.
        server.handleUpgrade(request, socket, head, (client) => {
          upstream.off('error', unreachable)
          socket.off('close', gone)
          join({ client, upstream, request, log, idleMs: settings.idleMs })
          // It opened while `close` ran, which did not see it.
          if (isStopping) end(client, ...STOPPING)
        })
      })
    },
    close() {
      isStopping = true
      for (const client of server.clients) end(client, ...STOPPING)
    },
  }
}

const STOPPING = [1001, 'the server is stopping'] as const

const SERVED = /^\/v1\/graphql(\?|$)/

function refuse(socket: Duplex, status: string) {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** As Hasura chooses: the newer one when it is offered. */
const PROTOCOLS = ['graphql-transport-ws', 'graphql-ws']

function chosenOf(offered: ReadonlySet<string>): string | false {
  return PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false
}

function offeredBy({ headers }: IncomingMessage): string[] {
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim())
  const chosen = chosenOf(new Set(offered))
  return chosen ? [chosen] : []
}

type Pair = {
  client: WebSocket
  upstream: WebSocket
  request: IncomingMessage
  log: Log
  idleMs: number
}

/** Passes messages between the two sides until either closes; then both are closed. */
function join({ client, upstream, request, log, idleMs }: Pair) {
  const { authorization } = request.headers
  const hurry = setTimeout(() => end(client, 4408, 'no connection_init'), Math.min(INIT_MS, idleMs))
  const opened = performance.now()
  client.on('message', (data, isBinary) => {
    const message = isBinary ? null : cleanse(String(data), authorization)
    if (!message) return end(client, 4400, 'not a message of GraphQL over WebSocket')
    if (message.isInit) clearTimeout(hurry)
    pass(message.text, { from: client, to: upstream })
  })
  upstream.on('message', (data) => pass(data, { from: upstream, to: client }))
  client.once('close', (code, reason) => {
    clearTimeout(hurry)
    log.info({ code, ms: Math.round(performance.now() - opened) }, 'socket closed')
    end(upstream, code, String(reason))
  })
  upstream.once('close', (code, reason) => end(client, code, String(reason)))
  for (const side of [client, upstream]) {
    side.on('error', (err) => log.debug({ err }, 'socket failed'))
    cutWhenIdle(side, idleMs)
  }
}

type Way = { from: WebSocket; to: WebSocket }

/** Backpressure: a side that sends more than the other takes is not read until the other has caught up. */
function pass(data: RawData | string, { from, to }: Way) {
  if (to.readyState !== to.OPEN) return
  to.send(data, { binary: false }, () => {
    if (from.isPaused && to.bufferedAmount < MOST_WAITING_BYTES / 2) from.resume()
  })
  if (to.bufferedAmount > MOST_WAITING_BYTES) from.pause()
}

function end(side: WebSocket, code: number, reason: string) {
  // A paused socket would never see that the other side has closed it.
  if (side.isPaused) side.resume()
  side.close(sendable(code), reason)
  const cut = setTimeout(() => side.terminate(), CLOSE_MS)
  side.once('close', () => clearTimeout(cut))
}

/** Some codes are reserved and may not be sent; a broken connection becomes 1011, a server error. */
function sendable(code: number): number {
  if (code === 1005) return 1000
  return code === 1006 || code === 1015 ? 1011 : code
}

function cutWhenIdle(side: WebSocket, idleMs: number) {
  let isAlive = true
  const revive = () => {
    isAlive = true
  }
  side.on('pong', revive).on('message', revive)
  const check = setInterval(() => {
    if (!isAlive) return side.terminate()
    isAlive = false
    if (side.readyState === side.OPEN) side.ping()
  }, idleMs / 2)
  side.once('close', () => clearInterval(check))
}
