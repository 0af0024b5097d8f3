import type { WebSocket } from 'ws'
import { callerOf } from '../../runtime/callers/caller.ts'
import type { GraphqlApi } from '../../runtime/graphql-request.ts'
import type { ClientHeaders } from '../../session/client.ts'
import { renderGraphqlError, toEngineError } from '../../session/render-error.ts'
import type { Session } from '../../session/session.ts'
import type { EngineServices } from '../http/endpoint.ts'
import type { CallerSockets } from './caller-sockets.ts'
import type { LiveQueries } from './live-queries.ts'
import type { SocketFault, SocketProtocol } from './protocol.ts'
import type { SocketLog } from './socket-log.ts'

/** A WebSocket with its session and its running operations. */
export type SocketConnection = {
  socket: WebSocket
  /** The API of the connection's path. */
  api: GraphqlApi
  protocol: SocketProtocol
  services: EngineServices
  live: LiveQueries
  /** Counts a caller's sockets, and the bytes that the caller has not read on them, for their limits. */
  callerSockets: CallerSockets
  /** The headers of the upgrade request, and after `connection_init` also of its payload. */
  headers: ClientHeaders
  session: Session | null
  /** The running operations by the client's id, each with the controller that aborts it. */
  operations: Map<string, AbortController>
  timers: Set<NodeJS.Timeout>
  log: SocketLog
}

/** Sends a message as JSON. */
export function sendMessage(connection: SocketConnection, message: object) {
  sendText(connection, JSON.stringify(message))
}

/** Sends text. If the client has left more than 64 MiB unread, closes the connection instead. */
export function sendText(connection: SocketConnection, text: string) {
  const { socket } = connection
  if (socket.readyState !== socket.OPEN) return
  if (unreadBytes(connection) > MAX_UNREAD_BYTES) return socket.terminate()
  socket.send(text)
}

/** Returns the number of unread bytes on this socket, or on all sockets of its caller if this socket has many unread bytes. */
function unreadBytes({ socket, session, services, callerSockets }: SocketConnection): number {
  const onThisSocket = socket.bufferedAmount
  if (onThisSocket < MUCH_UNREAD_BYTES || !session) return onThisSocket
  const caller = callerOf(session, services.engine.config)
  return caller === null ? onThisSocket : callerSockets.unreadBytes(caller)
}

const MUCH_UNREAD_BYTES = 64 * 1024
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Sends the error that ends an operation, and like Hasura then completes the operation. */
export function sendOperationError(connection: SocketConnection, id: string, thrown: unknown) {
  const { session, services, protocol } = connection
  const audience = { session, config: services.engine.config }
  const errors = [renderGraphqlError(toEngineError(thrown), audience)]
  sendMessage(connection, { type: 'error', id, payload: protocol.errorPayload(errors) })
  sendMessage(connection, { type: 'complete', id })
}

/** Reports a fault of the connection as its protocol requires, which may close the connection. */
export function reportFault(connection: SocketConnection, fault: SocketFault, reason: string) {
  const { protocol, socket } = connection
  if (protocol.faults !== 'connection_error')
    return socket.close(
      protocol.faults[fault],
      closeReason(fault === 'forbidden' ? FORBIDDEN : reason),
    )
  // In the older protocol, a malformed message does not close the connection, because a correct message may follow before the
  // timeout.
  if (fault === 'timeout') return socket.close(1011)
  sendMessage(connection, { type: 'connection_error', payload: reason })
  if (fault === 'forbidden') socket.close(1000)
}

/** Hasura's message for every client that it does not admit. */
const FORBIDDEN = '{"server_error_msg":"4403: Forbidden"}'

/** Returns the first 123 bytes of the text, the most that a close frame can hold (RFC 6455, section 5.5). */
function closeReason(text: string): Buffer {
  const bytes = Buffer.alloc(123)
  return bytes.subarray(0, new TextEncoder().encodeInto(text, bytes).written)
}
