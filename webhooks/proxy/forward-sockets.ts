import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { readRequestId } from '../../lib/http/request-context.ts'
import type { Sockets } from '../../lib/http/serve.ts'
import type { Log } from '../../lib/telemetry/log.ts'
import { MAX_GRAPHQL_BYTES } from '../route/read-input.ts'
import { sanitiseMessage } from './socket-message.ts'

type Settings = { endpoint: string; timeoutMs: number; idleMs: number; log: Log }

/** Sockets open at a time; each takes one of Hasura's as well. */
const MAX_SOCKETS = 10_000
/** Of one message from Hasura. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** May wait to be sent to one side; beyond that the other side is not read. */
const MAX_WAITING_BYTES = 1024 * 1024
/** How long a client may take to send `connection_init`, unless `idleMs` is shorter. */
const MAX_INIT_WAIT_MS = 10_000
/** How long either side may take to answer our close frame before its connection is ended. */
const MAX_CLOSE_WAIT_MS = 1_000

/**
 * Carries WebSockets of `/v1/graphql` to Hasura and back, in either GraphQL protocol.
 *
 * The only credential passed on is `Authorization`, from the upgrade or from `connection_init`, which
 * wins. It always travels in that message: no header of the client's upgrade reaches Hasura. Pages of any
 * origin may connect, since nothing that a browser adds by itself (a cookie) is passed on.
 *
 * @param settings.idleMs a side that sends nothing and answers no ping for this long is cut off, and with it
 *   the other side
 */
export function forwardSockets(settings: Settings): Sockets {
  const { endpoint, timeoutMs } = settings
  const url = `${endpoint.replace(/^http/, 'ws')}/v1/graphql`
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: MAX_GRAPHQL_BYTES,
    handleProtocols: chooseProtocol,
  })
  let isStopping = false
  return {
    upgrade(request, socket, head) {
      socket.on('error', () => {})
      if (!GRAPHQL_PATH.test(request.url ?? '')) return refuseUpgrade(socket, '404 Not Found')
      if (isStopping || server.clients.size >= MAX_SOCKETS)
        return refuseUpgrade(socket, '503 Service Unavailable')
      const requestId = readRequestId(request.headers)
      const upstream = new WebSocket(url, protocolsFor(request), {
        headers: { 'x-request-id': requestId },
        handshakeTimeout: timeoutMs,
        maxPayload: MAX_ANSWER_BYTES,
        perMessageDeflate: false,
      })
      // The client's upgrade is accepted only once Hasura has accepted ours.
      const log = settings.log.child({ request_id: requestId })
      const unreachable = (err: Error) => {
        log.error({ err }, 'no socket to Hasura')
        refuseUpgrade(socket, '503 Service Unavailable')
      }
      const gone = () => upstream.terminate()
      socket.once('close', gone)
      upstream.once('error', unreachable)
      upstream.once('open', () => {
        // Calls back synchronously, or not at all: `ws` itself refuses a request that is no valid handshake.
        server.handleUpgrade(request, socket, head, (client) => {
          upstream.off('error', unreachable)
          socket.off('close', gone)
          joinSockets({ client, upstream, request, log, idleMs: settings.idleMs })
          // `close` ran while this socket was opening, so it did not see it.
          if (isStopping) closeSocket(client, ...STOPPING)
        })
      })
    },
    close() {
      isStopping = true
      for (const client of server.clients) closeSocket(client, ...STOPPING)
    },
  }
}

const STOPPING = [1001, 'the server is stopping'] as const

const GRAPHQL_PATH = /^\/v1\/graphql(\?|$)/

function refuseUpgrade(socket: Duplex, status: string) {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** In order of preference, which is Hasura's: the newer protocol first. */
const PROTOCOLS = ['graphql-transport-ws', 'graphql-ws']

function chooseProtocol(offered: ReadonlySet<string>): string | false {
  return PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false
}

function protocolsFor({ headers }: IncomingMessage): string[] {
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim())
  const chosen = chooseProtocol(new Set(offered))
  return chosen ? [chosen] : []
}

type SocketPair = {
  client: WebSocket
  upstream: WebSocket
  request: IncomingMessage
  log: Log
  idleMs: number
}

/** Passes messages between the two sides until either closes; then both are closed. */
function joinSockets({ client, upstream, request, log, idleMs }: SocketPair) {
  const { authorization } = request.headers
  const initTimer = setTimeout(
    () => closeSocket(client, 4408, 'no connection_init'),
    Math.min(MAX_INIT_WAIT_MS, idleMs),
  )
  const opened = performance.now()
  client.on('message', (data, isBinary) => {
    const message = isBinary ? null : sanitiseMessage(String(data), authorization)
    if (!message) return closeSocket(client, 4400, 'not a message of GraphQL over WebSocket')
    if (message.isInit) clearTimeout(initTimer)
    passMessage(message.text, { from: client, to: upstream })
  })
  upstream.on('message', (data) => passMessage(data, { from: upstream, to: client }))
  client.once('close', (code, reason) => {
    clearTimeout(initTimer)
    log.info({ code, ms: Math.round(performance.now() - opened) }, 'socket closed')
    closeSocket(upstream, code, String(reason))
  })
  upstream.once('close', (code, reason) => closeSocket(client, code, String(reason)))
  for (const side of [client, upstream]) {
    side.on('error', (err) => log.debug({ err }, 'socket failed'))
    terminateWhenIdle(side, idleMs)
  }
}

type Direction = { from: WebSocket; to: WebSocket }

/** Backpressure: a side that sends more than the other takes is not read until the other has caught up. */
function passMessage(data: RawData | string, { from, to }: Direction) {
  if (to.readyState !== to.OPEN) return
  to.send(data, { binary: false }, () => {
    if (from.isPaused && to.bufferedAmount < MAX_WAITING_BYTES / 2) from.resume()
  })
  if (to.bufferedAmount > MAX_WAITING_BYTES) from.pause()
}

function closeSocket(side: WebSocket, code: number, reason: string) {
  // A paused socket would never see that the other side has closed it.
  if (side.isPaused) side.resume()
  side.close(sendableCloseCode(code), reason)
  const cut = setTimeout(() => side.terminate(), MAX_CLOSE_WAIT_MS)
  side.once('close', () => clearTimeout(cut))
}

/**
 * The code to close the other side with: reserved codes may not be sent (RFC 6455 7.4.1), and a broken
 * connection becomes 1011, a server error.
 */
function sendableCloseCode(code: number): number {
  if (code === 1005) return 1000
  return code === 1006 || code === 1015 ? 1011 : code
}

function terminateWhenIdle(side: WebSocket, idleMs: number) {
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
