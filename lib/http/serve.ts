import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import type { Log } from '../telemetry/log.ts'
import type { ErrorBody } from './error-body.ts'
import { expressMessages } from './express-messages.ts'
import { refuseUnreadable } from './refuse-unreadable.ts'

/** How long a request under way may take to finish after SIGTERM. */
const GRACE_MS = 10_000

/** Answers requests for an upgrade to WebSocket. */
export type Sockets = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes those that are open. */
  close(): void
}

type Options = {
  host: string
  port: number
  log: Log
  errorBody: ErrorBody
  sockets?: Sockets
  close: () => Promise<void>
}

/**
 * Listens; on SIGTERM or SIGINT stops accepting, lets running requests finish, then closes.
 *
 * @param options.errorBody makes the body of an error, for requests that cannot be parsed
 * @param options.close ends what the requests used: pools, threads
 * @throws when the address is in use
 */
export async function serve(
  web: Express,
  { host, port, log, errorBody, sockets, close }: Options,
): Promise<Server> {
  const options = { ...TIMEOUTS, ...NO_HOST, ...expressMessages(web), ...(sockets && UPGRADES) }
  const underWay: UnderWay = new WeakMap()
  const answer = refusingFloods(web, underWay)
  const server = createServer(options, answer)
  // A server may ignore an `Expect` that it does not know (RFC 9110 10.1.1); Node would answer with an empty 417.
  server.on('checkExpectation', answer)
  server.on('clientError', (cause, socket) => {
    const hasBegun = [...(underWay.get(socket) ?? [])].some(({ headersSent }) => headersSent)
    if (hasBegun || !socket.writable) socket.destroy()
    else refuseUnreadable(cause, socket, errorBody)
  })
  // Without a byte either way: so long, a client that does not read its answer may hold that in our memory.
  server.setTimeout(IDLE_MS)
  if (sockets) server.on('upgrade', sockets.upgrade)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  log.info({ address: server.address() }, 'listening')
  let ending = false
  const end = async () => {
    // A second signal changes nothing: `npm run` passes on a Ctrl-C that the terminal has sent here as well.
    if (ending) return
    ending = true
    log.info('stopping')
    sockets?.close()
    await stop(server)
    await close()
    log.info('stopped')
    if (process.connected) process.disconnect()
  }
  for (const event of ENDINGS) process.on(event, end)
  // The parent process was gone before the listeners were there; without an IPC channel this is undefined.
  if (process.connected === false) void end()
  return server
}

/** `disconnect`: the parent process, which held the IPC channel, is gone. */
const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect']

/**
 * How long a slow client may hold a connection, give or take the interval between checks, which is thirty
 * seconds by default.
 */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

/** `begin` refuses a request without a host, in the form of every other error. */
const NO_HOST = { requireHostHeader: false }

/**
 * An offer of any other protocol (Java's client offers HTTP/2 by default) is ignored and the request is
 * answered: Node would otherwise pass every upgrade to the WebSockets.
 */
const UPGRADES = {
  shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
    /\bwebsocket\b/i.test(headers.upgrade ?? ''),
}

/** Longer than Hasura waits for the answer to a scheduled call. */
const IDLE_MS = 65_000

/** Far more than any real client sends before it has an answer; most send one. */
const MOST_AT_ONCE = 32

/**
 * Cuts off a connection with too many requests at once: Node would begin every pipelined request that it
 * has read, even thousands, and keep the answers until the client reads them.
 */
function refusingFloods(handle: RequestListener, underWay: UnderWay): RequestListener {
  return (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    const answers = underWay.get(socket) ?? new Set()
    underWay.set(socket, answers.add(response))
    response.once('close', () => answers.delete(response))
    if (answers.size > MOST_AT_ONCE) socket.destroy()
    else handle(request, response)
  }
}

/** The unfinished answers of each connection. */
type UnderWay = WeakMap<Duplex, Set<ServerResponse>>

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  // A kept connection becomes idle after its last answer, and would then keep the server from closing.
  const sweeper = setInterval(() => server.closeIdleConnections(), 20)
  const killer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearInterval(sweeper)
  clearTimeout(killer)
}
