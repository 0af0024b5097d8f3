import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import type { Log } from '../log/log.ts'
import { stopOnSignal } from '../stop-on-signal.ts'
import type { ErrorBody } from './error-body.ts'
import { expressPrototypes } from './express-prototypes.ts'
import { listenOn } from './listen.ts'
import { isRefused, refuseMalformedRequest } from './refuse-malformed-request.ts'
import { createServerStop } from './stop-server.ts'

/** How long a request may still run after the signal to stop and after `drainMs`. */
const GRACE_MS = 10_000

/** The WebSockets of a server. */
export type Sockets = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes all open WebSockets. */
  close(): void
}

type ListenOptions = {
  host: string
  port: number
  log: Log
  /** Makes the error body for a request that cannot be parsed. */
  errorBody: ErrorBody
  /** How long keep-alive connections may bring new requests after the signal to stop. */
  drainMs?: number
  sockets?: Sockets
}

export type RunningServer = {
  server: Server
  /** Accepts no new connections, and lets the running requests finish. */
  stop(): Promise<void>
}

/**
 * Serves an app until a signal or the end of the parent process. Then accepts no new connections, lets the running requests
 * finish, and closes.
 *
 * @param options.close closes the resources that requests use, like pools and threads
 * @throws when the address is in use
 */
export async function serve(
  web: Express,
  { close, ...options }: ListenOptions & { close: () => Promise<void> },
): Promise<Server> {
  const running = await startListening(web, options)
  stopAllOnSignal([running], { log: options.log, close })
  return running.server
}

/** Stops all servers at the first event of `stopOnSignal`, and then closes the resources that their requests use. */
export function stopAllOnSignal(
  servers: readonly RunningServer[],
  { log, close }: { log: Log; close: () => Promise<void> },
): void {
  stopOnSignal(log, async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await close()
    log.info('stopped')
    if (process.connected) process.disconnect()
  })
}

/** @throws when the address is in use */
export async function startListening(
  web: Express,
  { host, port, log, errorBody, drainMs = 0, sockets }: ListenOptions,
): Promise<RunningServer> {
  const server = createAppServer(web, { errorBody, sockets })
  const stopServer = createServerStop(server)
  await listenOn(server, { host, port })
  log.info({ address: server.address() }, 'listening')
  return {
    server,
    async stop() {
      sockets?.close()
      await stopServer({ drainMs, graceMs: GRACE_MS })
    },
  }
}

function createAppServer(
  web: Express,
  { errorBody, sockets }: { errorBody: ErrorBody; sockets: Sockets | undefined },
): Server {
  const options = { ...TIMEOUTS, ...NO_HOST, ...expressPrototypes(web), ...(sockets && UPGRADES) }
  const underWay: UnderWay = new WeakMap()
  const answer = limitPipelining(web, underWay)
  const server = createServer(options, answer)
  // A server may ignore an unknown `Expect` (RFC 9110 10.1.1). Node would answer with an empty 417.
  server.on('checkExpectation', answer)
  server.on('clientError', (cause, socket) => {
    if (isRefused(socket)) return
    const hasBegun = [...(underWay.get(socket) ?? [])].some(({ headersSent }) => headersSent)
    if (hasBegun || !socket.writable) socket.destroy()
    else refuseMalformedRequest(cause, socket, errorBody)
  })
  // Closes a connection without traffic after this time, or twice this time if several responses are unread. Unread
  // responses take memory.
  server.setTimeout(IDLE_MS)
  if (sockets) server.on('upgrade', sockets.upgrade)
  return server
}

/**
 * How long a slow client may hold a connection, in ms. By default, Node checks these times only every thirty seconds.
 */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

/** Lets Node accept a request without a host. `beginRequest` rejects it with an error in our usual form. */
const NO_HOST = { requireHostHeader: false }

/**
 * Ignores an upgrade to any protocol except WebSocket: Java's HTTP client, for example, offers HTTP/2. Without this,
 * Node would pass every upgrade to the WebSocket server.
 */
const UPGRADES = {
  shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
    /\bwebsocket\b/i.test(headers.upgrade ?? ''),
}

/** This is longer than Hasura waits for the response to a scheduled call. */
const IDLE_MS = 65_000

/** The most unanswered requests of a connection. Most clients send one request and wait for its response. */
const MAX_PIPELINED_REQUESTS = 32

/**
 * Closes a connection with too many pipelined requests. Node would start all of them, even thousands, and keep the
 * responses in memory until the client reads them.
 */
function limitPipelining(handle: RequestListener, underWay: UnderWay): RequestListener {
  return (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    const answers = underWay.get(socket) ?? new Set()
    underWay.set(socket, answers.add(response))
    response.once('close', () => answers.delete(response))
    if (answers.size > MAX_PIPELINED_REQUESTS) socket.destroy()
    else handle(request, response)
  }
}

/** The unfinished responses of each connection. */
type UnderWay = WeakMap<Duplex, Set<ServerResponse>>
