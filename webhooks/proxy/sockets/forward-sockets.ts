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
import { requireValue } from '../../../lib/runtime/require-value.ts'
import type { CallerNames } from '../../credentials/caller-names.ts'
import { readAuthorization } from '../../credentials/session-cookie.ts'
import { MAX_GRAPHQL_BYTES } from '../../route/body-sizes.ts'
import { closeSocket } from './close-socket.ts'
import { joinSockets } from './join-sockets.ts'

type Settings = {
  /** The address of the developer API. */
  baseUrl: string
  endpoint: string
  timeoutMs: number
  idleMs: number
  /** How many proxies in front are trusted to give the caller's address. */
  trustedProxyHops: number
  /** Bounds the work that wrong credentials cause. */
  gate: CredentialGate
  callers: CallerNames
  /** Shares the time of the event loop between callers with large documents. */
  loop: LoopShare
  log: Log
}

/** The maximum number of open sockets of clients. Each needs another socket to Hasura. */
const MAX_SOCKETS = 10_000
const MAX_SOCKETS_PER_ADDRESS = 500
const MAX_SOCKETS_PER_CALLER = 50
/** The maximum size of a message from Hasura. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

/**
 * Forwards WebSockets of `/v1/graphql` to Hasura and back, in both GraphQL protocols.
 *
 * Hasura gets one credential, always in `connection_init`: the `Authorization` in the client's `connection_init`, else the
 * `Authorization` of the upgrade, else the portal's session cookie if the upgrade comes from the same origin. Of the headers
 * of the client's upgrade, Hasura otherwise gets only the request id and the protocol. Pages of any origin may connect,
 * because the cookies of other origins' pages are not used.
 *
 * @param settings.idleMs if a side sends nothing and answers no ping for this time, both sides are closed
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
      // Calls back synchronously, or not at all: `ws` refuses an invalid handshake.
      const accept = (onClient: (client: WebSocket) => void) =>
        server.handleUpgrade(request, socket, head, onClient)
      if (isStopping) return accept((client) => closeSocket(client, ...STOPPING))
      if (server.clients.size >= MAX_SOCKETS)
        return refuseUpgrade(socket, '503 Service Unavailable')
      const address = networkOf(upgradeAddress(request, settings.trustedProxyHops))
      const leave = takePlace(address)
      if (!leave) return refuseUpgrade(socket, '429 Too Many Requests')
      socket.once('close', leave)
      // A socket that is closed already emits no `close`.
      if (socket.destroyed) return leave()
      connectUpstream(
        settings,
        { request, socket },
        {
          onFailure: () => accept((client) => closeSocket(client, ...TRY_AGAIN)),
          onOpen: (upstream, log, onAccepted) =>
            accept((client) => {
              onAccepted()
              const { idleMs, gate, callers, loop, baseUrl } = settings
              const authorization = readAuthorization(request.headers, baseUrl)
              const caller = { authorization, address, gate, callers, takeCallersPlace }
              joinSockets({ client, upstream, log, idleMs, loop, ...caller })
              // `close` did not see this socket if it ran while the socket was opening.
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

type ConnectionCallbacks = {
  onOpen(upstream: WebSocket, log: Log, onAccepted: () => void): void
  onFailure(): void
}

/** Opens the socket to Hasura for a client. Calls `onOpen` or `onFailure` unless the client disconnects first. */
function connectUpstream(
  settings: Settings,
  { request, socket }: Upgrade,
  { onOpen, onFailure }: ConnectionCallbacks,
) {
  const requestId = readRequestId(request.headers)
  const upstream = openUpstream(settings, request, requestId)
  const log = settings.log.child({ request_id: requestId })
  const onClientGone = () => upstream.terminate()
  const onUnreachable = (err: Error) => {
    log.error({ err }, 'no socket to Hasura')
    socket.off('close', onClientGone)
    if (!socket.destroyed) onFailure()
  }
  socket.once('close', onClientGone)
  upstream.once('error', onUnreachable)
  const onAccepted = () => {
    upstream.off('error', onUnreachable)
    socket.off('close', onClientGone)
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

/** Codes after which clients such as graphql-ws reconnect. After a refused upgrade they would give up. */
const TRY_AGAIN = [1013, 'Hasura is unavailable'] as const
const STOPPING = [1001, 'the server is stopping'] as const

const GRAPHQL_PATH = /^\/v1\/graphql(\?|$)/

/** Returns the caller's address behind `hops` trusted proxies, like Express for requests. */
export function upgradeAddress({ headers, socket }: IncomingMessage, hops: number): string {
  const forwardedFor = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((name) => name.trim())
  const chain = [...forwardedFor.filter(Boolean), socket.remoteAddress ?? '']
  return requireValue(chain[Math.max(0, chain.length - 1 - hops)], 'an address')
}

function refuseUpgrade(socket: Duplex, status: string) {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** The protocols in Hasura's order of preference: the newer protocol first. */
const PROTOCOLS = ['graphql-transport-ws', 'graphql-ws']

function chooseProtocol(offered: ReadonlySet<string>): string | false {
  return PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false
}

function protocolsFor({ headers }: IncomingMessage): string[] {
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim())
  const protocol = chooseProtocol(new Set(offered))
  return protocol ? [protocol] : []
}
