import { randomUUID } from 'node:crypto'
import type { Config } from '../../config/config.ts'
import { EngineError } from '../../errors.ts'
import { exactJsonOrNull } from '../../json/json-or-null.ts'
import { callerOf } from '../../runtime/callers/caller.ts'
import type { ClientHeaders } from '../../session/client.ts'
import { toEngineError } from '../../session/render-error.ts'
import type { Session } from '../../session/session.ts'
import {
  reportFault,
  type SocketConnection,
  sendMessage,
  sendOperationError,
} from './connection.ts'
import { type ClientMessage, socketProtocol } from './protocol.ts'
import { runOperation } from './run-operation.ts'
import { openSocketLog } from './socket-log.ts'

type OpenedSocket = Pick<
  SocketConnection,
  'socket' | 'api' | 'headers' | 'services' | 'live' | 'callerSockets'
>

/** Serves a WebSocket: `connection_init` first, then concurrent operations, up to the limit of the settings. */
export function serveSocket(opening: OpenedSocket): void {
  const { socket, services } = opening
  const connection: SocketConnection = {
    ...opening,
    protocol: socketProtocol(socket.protocol),
    session: null,
    operations: new Map(),
    timers: new Set(),
    log: openSocketLog(services.engine),
  }
  connection.log.write({ type: 'accepted' }, null)
  startTimer(connection, services.engine.config.websocketInitSeconds, () => {
    if (!connection.session)
      reportFault(connection, 'timeout', 'Connection initialisation timed out')
  })
  handleInOrder(connection)
  socket.on('error', () => socket.terminate())
  socket.on('close', () => releaseConnection(connection))
}

/** Handles messages in order. Closes the connection if too many bytes of unhandled messages pile up. */
function handleInOrder(connection: SocketConnection) {
  const { socket, services } = connection
  const maxBytes = 2 * services.engine.config.maxBodyBytes
  let lastMessage = Promise.resolve()
  let unhandledBytes = 0
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    const { length } = data
    unhandledBytes += length
    if (unhandledBytes > maxBytes) return socket.terminate()
    lastMessage = lastMessage
      .then(() => receiveMessage(connection, isBinary ? null : exactJsonOrNull(data.toString())))
      .finally(() => {
        unhandledBytes -= length
      })
  })
}

async function receiveMessage(connection: SocketConnection, message: unknown): Promise<void> {
  try {
    const parsed = connection.protocol.parseMessage(message)
    if (parsed) await handleMessage(connection, parsed)
    else reportFault(connection, 'malformed', 'unexpected message')
  } catch (cause) {
    connection.services.engine.log.error({ cause }, 'socket failed')
    connection.socket.close(1011)
  }
}

async function handleMessage(connection: SocketConnection, message: ClientMessage): Promise<void> {
  switch (message.type) {
    case 'init':
      return initConnection(connection, message.headers)
    case 'start':
      return startOperation(connection, message.id, message.payload)
    case 'stop':
      return stopOperation(connection, message.id)
    case 'ping':
      return sendMessage(connection, { type: 'pong', payload: { message: message.text } })
    case 'pong':
      return
    case 'terminate':
      return connection.socket.close(1000)
  }
}

/** Authenticates the client with the headers of the upgrade request and of its `connection_init` message. */
async function initConnection(connection: SocketConnection, payloadHeaders: ClientHeaders) {
  // Like Hasura, acknowledges a second `connection_init`, and keeps the session.
  if (connection.session) return sendMessage(connection, { type: 'connection_ack' })
  const headers = Object.entries(payloadHeaders).map(([name, value]) => [name.toLowerCase(), value])
  connection.headers = { ...connection.headers, ...Object.fromEntries(headers) }
  const { authenticate, engine } = connection.services
  const authenticated = await authenticate({ headers: connection.headers, request: null }).catch(
    (thrown: unknown) => {
      const error = toEngineError(thrown)
      connection.log.write({ type: 'conn_err', error }, null)
      reportFault(connection, 'forbidden', error.message)
    },
  )
  const hasClosed = connection.socket.readyState !== connection.socket.OPEN
  if (!authenticated || hasClosed) return
  const { session } = authenticated
  const caller = callerOf(session, engine.config)
  if (caller !== null && !connection.callerSockets.join(caller, connection.socket))
    return reportFault(connection, 'forbidden', 'too many sockets at once')
  connection.session = session
  sendMessage(connection, { type: 'connection_ack' })
  startKeepAlive(connection, engine.config.websocketKeepAliveSeconds)
  closeOnExpiry(connection, session.expiresAt)
}

/** Starts an operation without waiting for it, so that further messages are handled. */
function startOperation(connection: SocketConnection, id: string, payload: unknown) {
  const { session, operations, headers } = connection
  if (!session)
    return refuseStart(connection, id, 'start received before the connection is initialised')
  if (operations.has(id))
    return refuseStart(connection, id, `an operation already exists with this id: ${id}`)
  if (operations.size >= maxOperations(session, connection.services.engine.config))
    return sendOperationError(
      connection,
      id,
      new EngineError('start-failed', 'too many operations at once'),
    )
  const controller = new AbortController()
  operations.set(id, controller)
  const client = { headers, requestId: randomUUID(), signal: controller.signal }
  void runOperation(connection, { id, payload, session, client }).finally(() => {
    if (operations.get(id) === controller) operations.delete(id)
  })
}

function maxOperations({ basis }: Session, config: Config): number {
  const { websocketOperations, callerWebsocketOperations } = config
  return basis === 'secret'
    ? websocketOperations
    : Math.min(websocketOperations, callerWebsocketOperations)
}

function stopOperation({ operations, log, session }: SocketConnection, id: string) {
  const operation = operations.get(id)
  if (!operation) return
  operation.abort()
  operations.delete(id)
  const stopped = { id, requestId: null, state: 'stopped', payload: null } as const
  log.write({ type: 'operation', ...stopped }, session)
}

/** Rejects a `start` message. Like Hasura, closes the connection with code 1000 in the newer protocol. */
function refuseStart(connection: SocketConnection, id: string, message: string) {
  sendOperationError(connection, id, new EngineError('start-failed', message))
  if (connection.protocol.name === 'graphql-transport-ws') connection.socket.close(1000)
}

function startKeepAlive(connection: SocketConnection, seconds: number) {
  if (connection.protocol.name === 'graphql-ws')
    sendMessage(connection, connection.protocol.keepAlive)
  const sendAndRepeat = () => {
    sendMessage(connection, connection.protocol.keepAlive)
    startTimer(connection, seconds, sendAndRepeat)
  }
  if (seconds > 0) startTimer(connection, seconds, sendAndRepeat)
}

/**
 * Ends the connection when the session expires, or after `MAX_TIMER_SECONDS`. Like Hasura, sends no close frame: clients see
 * code 1006.
 */
function closeOnExpiry(connection: SocketConnection, expiresAt: Date | null) {
  if (!expiresAt) return
  const seconds = (expiresAt.getTime() - Date.now()) / 1000
  const close = () => connection.socket.terminate()
  startTimer(connection, Math.min(seconds, MAX_TIMER_SECONDS), close)
}

/** About 23 days; `setTimeout` cannot wait for more than 24. */
const MAX_TIMER_SECONDS = 2_000_000

/** Calls `act` after a number of seconds, unless the connection closes first. */
function startTimer({ timers }: SocketConnection, seconds: number, act: () => void) {
  const timer = setTimeout(() => {
    timers.delete(timer)
    act()
  }, seconds * 1000)
  timers.add(timer)
}

function releaseConnection({ timers, operations, log, session }: SocketConnection) {
  log.write({ type: 'closed' }, session)
  for (const timer of timers) clearTimeout(timer)
  for (const operation of operations.values()) operation.abort()
  operations.clear()
}
