import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { requireValue } from '../../../../lib/runtime/require-value.ts'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import type { GraphqlApi } from '../../runtime/graphql-request.ts'
import { clientHeaders } from '../../session/client.ts'
import { createCorsHeaders } from '../http/cors.ts'
import { createCrossSiteCheck } from '../http/cross-site-check.ts'
import type { EngineServices } from '../http/endpoint.ts'
import { createCallerSockets } from './caller-sockets.ts'
import { startLiveQueries } from './live-queries.ts'
import { chooseProtocol } from './protocol.ts'
import { serveSocket } from './serve-socket.ts'
import { openSocketLog } from './socket-log.ts'

/** Accepts WebSockets at the paths of `SERVED_PATHS`. `close` closes all open WebSockets. */
export function startWebsocketServer(server: Server, services: EngineServices): { close(): void } {
  const { engine } = services
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: chooseProtocol,
    maxPayload: engine.config.maxBodyBytes,
  })
  const live = startLiveQueries(engine)
  const callerSockets = createCallerSockets(engine.config.callerWebsockets)
  const isAllowedOrigin = createOriginCheck(services)
  const isCrossSite = createCrossSiteCheck(engine.config)
  const reject = (socket: Duplex, status: string, error: EngineError) => {
    openSocketLog(engine).write({ type: 'rejected', error }, null)
    rejectUpgrade(socket, status)
  }
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {})
    const [path = ''] = requireValue(request.url, 'the URL of a request').split('?')
    const api = SERVED_PATHS.get(path)
    if (api === undefined) return reject(socket, '404 Not Found', NO_SOCKETS)
    if (!isAllowedOrigin(request.headers.origin) || isCrossSite(request.headers))
      return reject(socket, '403 Forbidden', WRONG_ORIGIN)
    sockets.handleUpgrade(request, socket, head, (openedSocket) =>
      serveSocket({
        socket: openedSocket,
        api,
        headers: clientHeaders(readableHeaders(request.headers, engine.config)),
        services,
        live,
        callerSockets,
      }),
    )
  })
  const closeAll = (code: number, reason: string) => {
    for (const socket of sockets.clients) closeSocket(socket, code, reason)
  }
  // Running operations were planned with the old metadata, so clients must connect again.
  const unsubscribe = engine.onSchemaCacheSwap(() => {
    if (engine.config.closeWebsocketsOnMetadataChange) {
      closeAll(1012, 'Server state changed, restarting the server')
    }
  })
  return {
    close: () => {
      unsubscribe()
      live.close()
      closeAll(1001, 'the server is stopping')
    },
  }
}

const SERVED_PATHS: ReadonlyMap<string, GraphqlApi> = new Map([
  ['/v1/graphql', 'graphql'],
  ['/v1alpha1/graphql', 'graphql'],
  ['/v1beta1/relay', 'relay'],
])

const NO_SOCKETS = new EngineError('not-found', 'this path has no WebSockets')
const WRONG_ORIGIN = new EngineError('access-denied', 'the origin is not allowed')

/** The time for a client to answer the close frame before the server ends its connection. */
const CLOSE_TIMEOUT_MS = 1000

function closeSocket(socket: WebSocket, code: number, reason: string) {
  socket.close(code, reason)
  const timer = setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS)
  socket.once('close', () => clearTimeout(timer))
}

function rejectUpgrade(socket: Duplex, status: string) {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/**
 * Removes the cookies of a page's request if CORS is disabled, because the engine then accepts pages of every origin. A
 * page could act with the cookies of its visitor.
 */
function readableHeaders(
  headers: IncomingHttpHeaders,
  { disableCors, wsReadCookie }: Config,
): IncomingHttpHeaders {
  if (!disableCors || wsReadCookie || headers.origin === undefined) return headers
  const { cookie: _cookie, ...readable } = headers
  return readable
}

/** Creates the check of an upgrade request's origin. Browsers do not apply CORS to WebSockets. */
function createOriginCheck({
  engine: { config },
}: EngineServices): (origin: string | undefined) => boolean {
  if (config.disableCors) return () => true
  const corsHeaders = createCorsHeaders(config)
  return (origin) => origin === undefined || Object.keys(corsHeaders(origin)).length > 0
}
