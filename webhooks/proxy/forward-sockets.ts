import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { readRequestId } from '../../lib/http/request-context.ts'
import type { Sockets } from '../../lib/http/serve.ts'
import { placesEach, type TakePlace } from '../../lib/limits/places.ts'
import { networkOf } from '../../lib/limits/rate-limiter.ts'
import { present } from '../../lib/present.ts'
import { hashToken } from '../../lib/secrets/secret.ts'
import type { Log } from '../../lib/telemetry/log.ts'
import { MAX_GRAPHQL_BYTES } from '../route/read-input.ts'
import { type Refusal, refusal } from './judge-request.ts'
import { endedOperation, type SocketMessage, sanitiseMessage } from './socket-message.ts'

type Settings = {
  endpoint: string
  timeoutMs: number
  idleMs: number
  /** How many proxies in front are trusted to give the caller's address. */
  trustedProxyHops: number
  log: Log
}

/** Sockets open at a time; each takes one of Hasura's as well. */
const MAX_SOCKETS = 10_000
const MAX_SOCKETS_PER_ADDRESS = 500
const MAX_SOCKETS_PER_CALLER = 50
/** Operations of a socket at a time. */
const MAX_OPERATIONS = 20
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
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    maxPayload: MAX_GRAPHQL_BYTES,
    handleProtocols: chooseProtocol,
  })
  const takePlace = placesEach(MAX_SOCKETS_PER_ADDRESS)
  const takeCallersPlace = placesEach(MAX_SOCKETS_PER_CALLER)
  let isStopping = false
  return {
    upgrade(request, socket, head) {
      socket.on('error', () => {})
      if (!GRAPHQL_PATH.test(request.url ?? '')) return refuseUpgrade(socket, '404 Not Found')
      if (isStopping || server.clients.size >= MAX_SOCKETS)
        return refuseUpgrade(socket, '503 Service Unavailable')
      const leave = takePlace(networkOf(addressOf(request, settings.trustedProxyHops)))
      if (!leave) return refuseUpgrade(socket, '429 Too Many Requests')
      socket.once('close', leave)
      const requestId = readRequestId(request.headers)
      const upstream = openUpstream(settings, request, requestId)
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
          const { idleMs } = settings
          joinSockets({ client, upstream, request, log, idleMs, takeCallersPlace })
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

/** Opens the socket to Hasura that a client's socket is joined with. */
function openUpstream(
  { endpoint, timeoutMs }: Settings,
  request: IncomingMessage,
  requestId: string,
): WebSocket {
  const url = `${endpoint.replace(/^http/, 'ws')}/v1/graphql`
  return new WebSocket(url, protocolsFor(request), {
    headers: { 'x-request-id': requestId },
    handshakeTimeout: timeoutMs,
    maxPayload: MAX_ANSWER_BYTES,
    perMessageDeflate: false,
  })
}

const STOPPING = [1001, 'the server is stopping'] as const

const GRAPHQL_PATH = /^\/v1\/graphql(\?|$)/

/** The caller's address, as so many trusted proxies in front give it. */
function addressOf({ headers, socket }: IncomingMessage, hops: number): string {
  const given = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((name) => name.trim())
  const chain = [...given.filter(Boolean), socket.remoteAddress ?? '']
  return present(chain[Math.max(0, chain.length - 1 - hops)], 'an address')
}

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
  /** Bounds the sockets of those who send the same credentials. */
  takeCallersPlace: TakePlace
}

/** Passes messages between the two sides until either closes; then both are closed. */
function joinSockets(pair: SocketPair) {
  const { client, upstream, request, log, idleMs } = pair
  const { authorization } = request.headers
  const initTimer = setTimeout(
    () => closeSocket(client, 4408, 'no connection_init'),
    Math.min(MAX_INIT_WAIT_MS, idleMs),
  )
  const opened = performance.now()
  const operations = new Set<string>()
  client.on('message', (data, isBinary) => {
    const message = isBinary ? null : sanitiseMessage(String(data), authorization)
    if (!message) return closeSocket(client, 4400, 'not a message of GraphQL over WebSocket')
    if (message.kind === 'init') {
      clearTimeout(initTimer)
      if (!admitCaller(pair, message.credentials)) return
    }
    if (message.kind === 'stop') operations.delete(message.id)
    const refused = message.kind === 'start' ? refuseStart(message, operations) : null
    if (refused && message.kind === 'start') sendRefusal(client, message.id, refused)
    else passMessage(message.text, { from: client, to: upstream })
  })
  upstream.on('message', (data) => {
    const ended = endedOperation(String(data))
    if (ended !== null) operations.delete(ended)
    passMessage(data, { from: upstream, to: client })
  })
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

/** Counts the socket as one of its caller's; closes it when they have too many. */
function admitCaller({ client, takeCallersPlace }: SocketPair, credentials: string): boolean {
  const leave = takeCallersPlace(hashToken(credentials))
  if (leave) client.once('close', leave)
  else closeSocket(client, 4429, 'too many sockets at once')
  return leave !== null
}

type Start = Extract<SocketMessage, { kind: 'start' }>

/** Why an operation may not start; null if it may, and then it counts as running. */
function refuseStart({ id, fault }: Start, running: Set<string>): Refusal | null {
  if (fault) return refusal('validation-failed', fault)
  if (running.size >= MAX_OPERATIONS && !running.has(id))
    return refusal('start-failed', { path: '$', message: 'too many operations at once' })
  running.add(id)
  return null
}

/** In the newer protocol the errors themselves are the payload. */
function sendRefusal(client: WebSocket, id: string, refused: Refusal) {
  const payload = client.protocol === PROTOCOLS[0] ? refused.errors : refused
  client.send(JSON.stringify({ type: 'error', id, payload }))
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
