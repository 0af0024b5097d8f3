import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Express } from 'express'
import { expressMessages } from './express-messages.ts'
import type { Log } from './log.ts'
import { type ErrorBody, refuseUnreadable } from './refuse-unreadable.ts'

/** How long a request under way may take to finish after SIGTERM. */
const GRACE_MS = 10_000

/** What answers requests to become a WebSocket. */
export type Sockets = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Tells those that are open to end. */
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
 * Listens, and on SIGTERM or SIGINT stops accepting, lets what is running finish, then closes.
 *
 * @param options.errorBody how an error is written, also to whom no request could be read from
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
  // A server may pass over what it is expected to do and cannot (RFC 9110 10.1.1); Node would refuse without a word.
  server.on('checkExpectation', answer)
  server.on('clientError', (cause, socket) => {
    const hasBegun = [...(underWay.get(socket) ?? [])].some(({ headersSent }) => headersSent)
    if (hasBegun || !socket.writable) socket.destroy()
    else refuseUnreadable(cause, socket, errorBody)
  })
  // Without a byte either way: a client that reads nothing of its answer holds it, and its memory, no longer.
  server.setTimeout(IDLE_MS)
  if (sockets) server.on('upgrade', sockets.upgrade)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  log.info({ address: server.address() }, 'listening')
  let ending = false
  const end = async () => {
    // Asked again it goes on as it was: `npm run` passes on a Ctrl-C that the terminal has sent as well.
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
  // The starter was gone before anybody listened for that; without a channel this is undefined.
  if (process.connected === false) void end()
  return server
}

/** `disconnect`: whoever started this process, and holds its channel, is gone. */
const ENDINGS = ['SIGTERM', 'SIGINT', 'disconnect']

/**
 * A client that sends slowly holds a connection no longer than this, and the two seconds between looks:
 * Node's own default is to look every thirty.
 */
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
}

/** `begin` refuses a request without a host, in the words that every other error has. */
const NO_HOST = { requireHostHeader: false }

/**
 * Whoever offers another protocol (HTTP/2, as Java's client does of itself) is answered in this one: to
 * Node every upgrade is a WebSocket otherwise.
 */
const UPGRADES = {
  shouldUpgradeCallback: ({ headers }: IncomingMessage) =>
    /\bwebsocket\b/i.test(headers.upgrade ?? ''),
}

/** Longer than Hasura waits for what it calls on schedule. */
const IDLE_MS = 65_000

/** Far more than any client sends before it has an answer; most send one. */
const MOST_AT_ONCE = 32

/**
 * Node begins every request that it has read, thousands in one piece, and keeps their answers until the
 * client reads them: a connection with too many at once is cut off.
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

/** The answers that are not finished, by their connection. */
type UnderWay = WeakMap<Duplex, Set<ServerResponse>>

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  // A kept connection becomes idle when its last answer is sent, and would then hold the server open.
  const sweeper = setInterval(() => server.closeIdleConnections(), 20)
  const killer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearInterval(sweeper)
  clearTimeout(killer)
}
