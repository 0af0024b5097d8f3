import { randomUUID } from 'node:crypto'
import { EngineError } from '../errors.ts'
import { parseJsonText } from '../http/request-body.ts'
import type { Client, ClientHeaders } from '../request/client.ts'
import { toEngineError } from '../session/render-error.ts'
import {
  reportFault,
  type SocketConnection,
  sendMessage,
  sendOperationError,
} from './connection.ts'
import { type ClientMessage, socketProtocol } from './protocol.ts'
import { runOperation } from './run-operation.ts'

type OpenedSocket = Pick<SocketConnection, 'socket' | 'headers' | 'services' | 'live'>

/** Serves one socket: the handshake, then any number of concurrent operations. */
export function serveSocket(opening: OpenedSocket): void {
  const { socket, services } = opening
  const connection: SocketConnection = {
    ...opening,
    protocol: socketProtocol(socket.protocol),
    session: null,
    operations: new Map(),
    timers: new Set(),
  }
  startTimer(connection, services.engine.config.websocketInitSeconds, () => {
    if (!connection.session)
      reportFault(connection, 'timeout', 'Connection initialisation timed out')
  })
  let turn = Promise.resolve()
  socket.on('message', (data, isBinary) => {
    turn = turn.then(() => receiveMessage(connection, isBinary ? null : json(String(data))))
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => releaseConnection(connection))
}

async function receiveMessage(connection: SocketConnection, message: unknown): Promise<void> {
  try {
    const known = connection.protocol.parseMessage(message)
    if (known) await handleMessage(connection, known)
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
      return sendMessage(connection, { ...message, type: 'pong' })
    case 'pong':
      return
    case 'terminate':
      return connection.socket.close(1000)
  }
}

async function initConnection(connection: SocketConnection, given: ClientHeaders) {
  if (connection.session)
    return reportFault(connection, 'again', 'Too many initialisation requests')
  const lower = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])
  connection.headers = { ...connection.headers, ...Object.fromEntries(lower) }
  const { authenticate, engine } = connection.services
  const known = await authenticate({ headers: connection.headers, request: null }).catch(
    (thrown: unknown) => reportFault(connection, 'forbidden', toEngineError(thrown).message),
  )
  if (!known) return
  connection.session = known.session
  sendMessage(connection, { type: 'connection_ack' })
  startKeepAlive(connection, engine.config.websocketKeepAliveSeconds)
  closeOnExpiry(connection, known.session.expiresAt)
}

/** Starts an operation, without waiting for it: further messages are read meanwhile. */
function startOperation(connection: SocketConnection, id: string, payload: unknown) {
  const { session, operations, headers } = connection
  if (!session) return refuseBeforeInit(connection, id)
  if (operations.has(id)) return refuseDuplicateId(connection, id)
  if (operations.size >= connection.services.engine.config.websocketOperations)
    return sendOperationError(
      connection,
      id,
      new EngineError('start-failed', 'too many operations at once'),
    )
  const ending = new AbortController()
  operations.set(id, ending)
  const { signal } = ending
  const client = { headers, requestId: randomUUID(), onGone: abortListener(signal) }
  void runOperation(connection, { id, payload, session, client, signal }).finally(() => {
    if (operations.get(id) === ending) operations.delete(id)
  })
}

function abortListener(signal: AbortSignal): Client['onGone'] {
  return (listener) => {
    if (signal.aborted) listener()
    signal.addEventListener('abort', listener, { once: true })
    return () => signal.removeEventListener('abort', listener)
  }
}

function stopOperation({ operations }: SocketConnection, id: string) {
  operations.get(id)?.abort()
  operations.delete(id)
}

function refuseBeforeInit(connection: SocketConnection, id: string) {
  const message = 'start received before the connection is initialised'
  if (connection.protocol.faults !== 'connection_error') {
    return reportFault(connection, 'unauthorized', 'Unauthorized')
  }
  sendOperationError(connection, id, new EngineError('start-failed', message))
}

function refuseDuplicateId(connection: SocketConnection, id: string) {
  const message = `an operation already exists with this id: ${id}`
  if (connection.protocol.faults !== 'connection_error') {
    return reportFault(connection, 'duplicate', `Subscriber for ${id} already exists`)
  }
  sendOperationError(connection, id, new EngineError('start-failed', message))
}

function startKeepAlive(connection: SocketConnection, seconds: number) {
  if (connection.protocol.name === 'graphql-ws')
    sendMessage(connection, connection.protocol.keepAlive)
  const again = () => {
    sendMessage(connection, connection.protocol.keepAlive)
    startTimer(connection, seconds, again)
  }
  if (seconds > 0) startTimer(connection, seconds, again)
}

function closeOnExpiry(connection: SocketConnection, at: Date | null) {
  if (!at) return
  const seconds = (at.getTime() - Date.now()) / 1000
  const close = () => reportFault(connection, 'forbidden', 'the credentials have expired')
  // A timer can wait for 24 days at most.
  startTimer(connection, Math.min(seconds, 2_000_000), close)
}

function startTimer({ timers }: SocketConnection, seconds: number, act: () => void) {
  const timer = setTimeout(() => {
    timers.delete(timer)
    act()
  }, seconds * 1000)
  timers.add(timer)
}

function releaseConnection({ timers, operations }: SocketConnection) {
  for (const timer of timers) clearTimeout(timer)
  for (const operation of operations.values()) operation.abort()
  operations.clear()
}

function json(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch {
    return null
  }
}
