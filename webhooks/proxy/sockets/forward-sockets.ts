import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { readRequestId } from '../../../lib/runtime/http/request-context.ts'
import type { Sockets } from '../../../lib/runtime/http/serve.ts'
import type { CredentialGate } from '../../../lib/runtime/limits/credential-gate.ts'
import type { LoopShare } from '../../../lib/runtime/limits/loop-share.ts'
import { createPlaces } from '../../../lib/runtime/limits/places.ts'
import { networkOf } from '../../../lib/runtime/limits/rate-limiter.ts'
import type { Log } from '../../../lib/runtime/log/log.ts'
import { present } from '../../../lib/runtime/present.ts'
import type { KnownCallers } from '../../credentials/known-callers.ts'
import { ownAuthorization } from '../../credentials/session-cookie.ts'
import { MAX_GRAPHQL_BYTES } from '../../route/body-sizes.ts'
import { closeSocket } from './close-socket.ts'
import { joinSockets } from './join-sockets.ts'

type Settings = {
  /** Of the developer API itself. */
  baseUrl: string
  endpoint: string
  timeoutMs: number
  idleMs: number
  /** How many proxies in front are trusted to give the caller's address. */
  trustedProxyHops: number
  /** Bounds the work that wrong credentials cause. */
  gate: CredentialGate
  callers: KnownCallers
  /** The time of the event loop, for large documents. */
  loop: LoopShare
  log: Log
}

/** Sockets open at a time; each takes one of Hasura's as well. */
const MAX_SOCKETS = 10_000
const MAX_SOCKETS_PER_ADDRESS = 500
const MAX_SOCKETS_PER_CALLER = 50
/** Of one message from Hasura. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/**
 * Carries WebSockets of `/v1/graphql` to Hasura and back, in either GraphQL protocol.
 *
 * The only credential passed on is `Authorization`, from the upgrade or from `connection_init`, which
 * wins; or else the session cookie of the portal's page, from an upgrade of this same origin only. It always travels in
 * that message: no header of the client's upgrade reaches Hasura. Pages of any origin may connect, since for them nothing
 * that a browser adds by itself is passed on.
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
  const takePlace = createPlaces(MAX_SOCKETS_PER_ADDRESS)
  const takeCallersPlace = createPlaces(MAX_SOCKETS_PER_CALLER)
  let isStopping = false
  return {
    upgrade(request, socket, head) {
      socket.on('error', () => {})
      if (!GRAPHQL_PATH.test(request.url ?? '')) return refuseUpgrade(socket, '404 Not Found')
      if (isStopping || server.clients.size >= MAX_SOCKETS)
        return refuseUpgrade(socket, '503 Service Unavailable')
      const address = networkOf(upgradeAddress(request, settings.trustedProxyHops))
      const leave = takePlace(address)
      if (!leave) return refuseUpgrade(socket, '429 Too Many Requests')
      socket.once('close', leave)
      // One that has closed already tells nobody any more.
      if (socket.destroyed) return leave()
      // Calls back synchronously, or not at all: `ws` itself refuses a request that is no valid handshake.
      const accept = (then: (client: WebSocket) => void) =>
        server.handleUpgrade(request, socket, head, then)
      connectUpstream(
        settings,
        { request, socket },
        {
          onFailure: () => accept((client) => closeSocket(client, ...TRY_AGAIN)),
          onOpen: (upstream, log, onAccepted) =>
            accept((client) => {
              onAccepted()
              const { idleMs, gate, callers, loop, baseUrl } = settings
              const authorization = ownAuthorization(request.headers, baseUrl)
              const caller = { authorization, address, gate, callers, takeCallersPlace }
              joinSockets({ client, upstream, log, idleMs, loop, ...caller })
              // `close` ran while this socket was opening, so it did not see it.
              if (isStopping) closeSocket(client, ...STOPPING)
            }),
        },
      )
    },
    close() {
      isStopping = true
      for (const client of server.clients) closeSocket(client, ...STOPPING)
    },
  }
}

type Upgrade = { request: IncomingMessage; socket: Duplex }

type Connected = {
  onOpen(upstream: WebSocket, log: Log, onAccepted: () => void): void
  onFailure(): void
}

/** Opens the socket to Hasura that a client's socket is to be joined with. The client's is accepted after that. */
function connectUpstream(
  settings: Settings,
  { request, socket }: Upgrade,
  { onOpen, onFailure }: Connected,
) {
  const requestId = readRequestId(request.headers)
  const upstream = openUpstream(settings, request, requestId)
  const log = settings.log.child({ request_id: requestId })
  const gone = () => upstream.terminate()
  const unreachable = (err: Error) => {
    log.error({ err }, 'no socket to Hasura')
    socket.off('close', gone)
    if (!socket.destroyed) onFailure()
  }
  socket.once('close', gone)
  upstream.once('error', unreachable)
  const onAccepted = () => {
    upstream.off('error', unreachable)
    socket.off('close', gone)
  }
  upstream.once('open', () => onOpen(upstream, log, onAccepted))
}

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

/** For clients such as those of graphql-ws, an upgrade that is refused is the end; after this code they connect again. */
const TRY_AGAIN = [1013, 'Hasura is away'] as const
const STOPPING = [1001, 'the server is stopping'] as const

const GRAPHQL_PATH = /^\/v1\/graphql(\?|$)/

/** The caller's address, as so many trusted proxies in front give it: as Express finds it for requests. */
export function upgradeAddress({ headers, socket }: IncomingMessage, hops: number): string {
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
