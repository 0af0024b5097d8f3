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

/** A WebSocket with its session and its running operations. */
export type SocketConnection = {
  socket: WebSocket
  /** The API that the client has connected to. */
  api: GraphqlApi
  protocol: SocketProtocol
  services: EngineServices
  live: LiveQueries
  /** Bounds the sockets of a caller, and what they leave unread on all of them. */
  callerSockets: CallerSockets
  /** The headers of the upgrade request; after `connection_init` also those of its payload. */
  headers: ClientHeaders
  session: Session | null
  /** The running operations by the client's id, each with the controller that aborts it. */
  operations: Map<string, AbortController>
  timers: Set<NodeJS.Timeout>
}

/** Sends a message as JSON. */
export function sendMessage(connection: SocketConnection, message: object) {
  sendText(connection, JSON.stringify(message))
}

/** Sends text, unless the client has left more than 64 MiB unread: then the connection is cut. */
export function sendText(connection: SocketConnection, text: string) {
  const { socket } = connection
  if (socket.readyState !== socket.OPEN) return
  if (unreadBytes(connection) > MAX_UNREAD_BYTES) return socket.terminate()
  socket.send(text)
}

/** What the client has not read; for a caller who has left much unread, also what they have not on their other sockets. */
function unreadBytes({ socket, session, services, callerSockets }: SocketConnection): number {
  const own = socket.bufferedAmount
  if (own < MUCH_UNREAD_BYTES || !session) return own
  const caller = callerOf(session, services.engine.config)
  return caller === null ? own : callerSockets.unreadBytes(caller)
}

const MUCH_UNREAD_BYTES = 64 * 1024
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Sends the error of an operation that failed before its first result; as in Hasura it is then complete. */
export function sendOperationError(connection: SocketConnection, id: string, thrown: unknown) {
  const { session, services, protocol } = connection
  const audience = { session, config: services.engine.config }
  const errors = [renderGraphqlError(toEngineError(thrown), audience)]
  sendMessage(connection, { type: 'error', id, payload: protocol.errorPayload(errors) })
  sendMessage(connection, { type: 'complete', id })
}

/** Reports a fault of the connection in the way of its protocol, which may close the connection. */
export function reportFault(connection: SocketConnection, fault: SocketFault, reason: string) {
  const { protocol, socket } = connection
  if (protocol.faults !== 'connection_error')
    return socket.close(
      protocol.faults[fault],
      closeReason(fault === 'forbidden' ? FORBIDDEN : reason),
    )
  // In the older protocol, a faulty message closes nothing: a better one may follow, as long as there is time.
  if (fault === 'timeout') return socket.close(1011)
  sendMessage(connection, { type: 'connection_error', payload: reason })
  if (fault === 'forbidden') socket.close(1000)
}

/** What Hasura says to everybody who is not admitted. */
const FORBIDDEN = '{"server_error_msg":"4403: Forbidden"}'

/** The first 123 bytes of the text: a close frame holds no more (RFC 6455, section 5.5). */
function closeReason(text: string): Buffer {
  const bytes = Buffer.alloc(123)
  return bytes.subarray(0, new TextEncoder().encodeInto(text, bytes).written)
}
