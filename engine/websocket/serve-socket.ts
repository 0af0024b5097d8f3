import { randomUUID } from 'node:crypto'
import { EngineError } from '../errors.ts'
import { parseJson } from '../http/request-body.ts'
import type { Client, ClientHeaders } from '../request/client.ts'
import { toEngineError } from '../session/render-error.ts'
import { type Connection, fail, send, sendErrors } from './connection.ts'
import { type ClientMessage, protocolOf } from './protocol.ts'
import { operate } from './run-operation.ts'

type Opening = Pick<Connection, 'socket' | 'headers' | 'services' | 'live'>

/** Serves one socket: the handshake, then any number of concurrent operations. */
export function serveSocket(opening: Opening): void {
  const { socket, services } = opening
  const connection: Connection = {
    ...opening,
    protocol: protocolOf(socket.protocol),
    session: null,
    operations: new Map(),
    timers: new Set(),
  }
  after(connection, services.engine.config.websocketInitSeconds, () => {
    if (!connection.session) fail(connection, 'timeout', 'Connection initialisation timed out')
  })
  let turn = Promise.resolve()
  socket.on('message', (data, isBinary) => {
    turn = turn.then(() => receive(connection, isBinary ? null : json(String(data))))
  })
  socket.on('error', () => socket.terminate())
  socket.on('close', () => forget(connection))
}

async function receive(connection: Connection, message: unknown): Promise<void> {
  try {
    const known = connection.protocol.read(message)
    if (known) await act(connection, known)
    else fail(connection, 'malformed', 'unexpected message')
  } catch (cause) {
    connection.services.engine.log.error({ cause }, 'socket failed')
    connection.socket.close(1011)
  }
}

async function act(connection: Connection, message: ClientMessage): Promise<void> {
  switch (message.type) {
    case 'init':
      return init(connection, message.headers)
    case 'start':
      return begin(connection, message.id, message.payload)
    case 'stop':
      return end(connection, message.id)
    case 'ping':
      return send(connection, { ...message, type: 'pong' })
    case 'pong':
      return
    case 'terminate':
      return connection.socket.close(1000)
  }
}

async function init(connection: Connection, given: ClientHeaders) {
  if (connection.session) return fail(connection, 'again', 'Too many initialisation requests')
  const lower = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])
  connection.headers = { ...connection.headers, ...Object.fromEntries(lower) }
  const { authenticate, engine } = connection.services
  const known = await authenticate({ headers: connection.headers, request: null }).catch(
    (thrown: unknown) => fail(connection, 'forbidden', toEngineError(thrown).message),
  )
  if (!known) return
  connection.session = known.session
  send(connection, { type: 'connection_ack' })
  keepAlive(connection, engine.config.websocketKeepAliveSeconds)
  expire(connection, known.session.expiresAt)
}

/** Starts an operation, without waiting for it: further messages are read meanwhile. */
function begin(connection: Connection, id: string, payload: unknown) {
  const { session, operations, headers } = connection
  if (!session) return tooEarly(connection, id)
  if (operations.has(id)) return duplicate(connection, id)
  if (operations.size >= connection.services.engine.config.websocketOperations)
    return sendErrors(
      connection,
      id,
      new EngineError('start-failed', 'too many operations at once'),
    )
  const ending = new AbortController()
  operations.set(id, ending)
  const { signal } = ending
  const client = { headers, requestId: randomUUID(), onGone: onAbort(signal) }
  void operate(connection, { id, payload, session, client, signal }).finally(() => {
    if (operations.get(id) === ending) operations.delete(id)
  })
}

function onAbort(signal: AbortSignal): Client['onGone'] {
  return (listener) => {
    if (signal.aborted) listener()
    signal.addEventListener('abort', listener, { once: true })
    return () => signal.removeEventListener('abort', listener)
  }
}

function end({ operations }: Connection, id: string) {
  operations.get(id)?.abort()
  operations.delete(id)
}

function tooEarly(connection: Connection, id: string) {
  const message = 'start received before the connection is initialised'
  if (connection.protocol.fault !== 'connection_error') {
    return fail(connection, 'unauthorized', 'Unauthorized')
  }
  sendErrors(connection, id, new EngineError('start-failed', message))
}

function duplicate(connection: Connection, id: string) {
  const message = `an operation already exists with this id: ${id}`
  if (connection.protocol.fault !== 'connection_error') {
    return fail(connection, 'duplicate', `Subscriber for ${id} already exists`)
  }
  sendErrors(connection, id, new EngineError('start-failed', message))
}

function keepAlive(connection: Connection, seconds: number) {
  if (connection.protocol.name === 'graphql-ws') send(connection, connection.protocol.keepAlive)
  const again = () => {
    send(connection, connection.protocol.keepAlive)
    after(connection, seconds, again)
  }
  if (seconds > 0) after(connection, seconds, again)
}

function expire(connection: Connection, at: Date | null) {
  if (!at) return
  const seconds = (at.getTime() - Date.now()) / 1000
  const close = () => fail(connection, 'forbidden', 'the credentials have expired')
  // A timer can wait for 24 days at most.
  after(connection, Math.min(seconds, 2_000_000), close)
}

function after({ timers }: Connection, seconds: number, act: () => void) {
  const timer = setTimeout(() => {
    timers.delete(timer)
    act()
  }, seconds * 1000)
  timers.add(timer)
}

function forget({ timers, operations }: Connection) {
  for (const timer of timers) clearTimeout(timer)
  for (const operation of operations.values()) operation.abort()
  operations.clear()
}

function json(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
