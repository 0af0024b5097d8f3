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
import { stopOf } from './stop-server.ts'

/** How long a request under way may take to finish after SIGTERM. */
const GRACE_MS = 10_000

/** Answers requests for an upgrade to WebSocket. */
export type Sockets = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes those that are open. */
  close(): void
}

type ListenOptions = {
  host: string
  port: number
  log: Log
  /** Makes the body of an error, for requests that cannot be parsed. */
  errorBody: ErrorBody
  /** How long kept connections may still bring a request after the signal to stop. */
  drainMs?: number
  sockets?: Sockets
}

/** A server that listens. */
export type Listening = {
  server: Server
  /** Accepts no more connections, and lets the requests under way finish. */
  stop(): Promise<void>
}

/**
 * Listens; on SIGTERM or SIGINT stops accepting, lets the requests under way finish, then closes.
 *
 * @param options.close ends what the requests used: pools, threads
 * @throws when the address is in use
 */
export async function serve(
  web: Express,
  { close, ...options }: ListenOptions & { close: () => Promise<void> },
): Promise<Server> {
  const listening = await startListening(web, options)
  stopAllOnSignal([listening], { log: options.log, close })
  return listening.server
}

/** Stops all servers when this process is told to end, then closes what their requests used. */
export function stopAllOnSignal(
  servers: readonly Listening[],
  { log, close }: { log: Log; close: () => Promise<void> },
): void {
  stopOnSignal(log, async () => {
    await Promise.all(servers.map((server) => server.stop()))
    await close()
    log.info('stopped')
    if (process.connected) process.disconnect()
  })
}

/**
 * Listens, until it is stopped.
 *
 * @throws when the address is in use
 */
export async function startListening(
  web: Express,
  { host, port, log, errorBody, drainMs = 0, sockets }: ListenOptions,
): Promise<Listening> {
  const server = createAppServer(web, { errorBody, sockets })
  const stopServer = stopOf(server)
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
  // A server may ignore an `Expect` that it does not know (RFC 9110 10.1.1); Node would answer with an empty 417.
  server.on('checkExpectation', answer)
  server.on('clientError', (cause, socket) => {
    if (isRefused(socket)) return
    const hasBegun = [...(underWay.get(socket) ?? [])].some(({ headersSent }) => headersSent)
    if (hasBegun || !socket.writable) socket.destroy()
    else refuseMalformedRequest(cause, socket, errorBody)
  })
  // Closes a connection on which no byte has moved for so long, or twice as long where several answers are left unread:
  // what a client does not read is in memory.
  server.setTimeout(IDLE_MS)
  if (sockets) server.on('upgrade', sockets.upgrade)
  return server
}

/** In milliseconds: how long a slow client may hold a connection. Node's default checks only every thirty seconds. */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

/** `beginRequest` refuses a request without a host, in the form of every other error. */
const NO_HOST = { requireHostHeader: false }

/**
 * Answers a request that offers another protocol than WebSocket as if it offered none; Java's client offers HTTP/2 by
 * default. Node would otherwise pass every upgrade to the WebSockets.
 */
const UPGRADES = {
  shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
    /\bwebsocket\b/i.test(headers.upgrade ?? ''),
}

/** Longer than Hasura waits for the answer to a scheduled call. */
const IDLE_MS = 65_000

/** Per connection, before the first answer. Most clients send one request and wait. */
const MAX_PIPELINED_REQUESTS = 32

/**
 * Cuts off a connection with too many requests at once: Node would begin every pipelined request that it
 * has read, even thousands, and keep the answers until the client reads them.
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

/** The unfinished answers of each connection. */
type UnderWay = WeakMap<Duplex, Set<ServerResponse>>
