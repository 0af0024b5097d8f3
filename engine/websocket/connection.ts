import type { WebSocket } from 'ws'
import type { EngineServices } from '../http/endpoint.ts'
import type { ClientHeaders } from '../request/client.ts'
import { renderGraphqlError, toEngineError } from '../session/render-error.ts'
import type { Session } from '../session/session.ts'
import type { LiveQueries } from './live-queries.ts'
import type { SocketFault, SocketProtocol } from './protocol.ts'

/** One socket with its running operations. */
export type SocketConnection = {
  socket: WebSocket
  protocol: SocketProtocol
  services: EngineServices
  live: LiveQueries
  /** The headers of the upgrade request; after the handshake also those of its payload. */
  headers: ClientHeaders
  session: Session | null
  /** Running operations by the client's id, each with what aborts it. */
  operations: Map<string, AbortController>
  timers: Set<NodeJS.Timeout>
}

/** Sends a message. */
export function sendMessage(connection: SocketConnection, message: object) {
  sendText(connection, JSON.stringify(message))
}

/** Sends text to the client; cuts off a client that does not read what it has asked for. */
export function sendText({ socket }: SocketConnection, text: string) {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > MAX_UNREAD_BYTES) return socket.terminate()
  socket.send(text)
}

const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Sends the error of an operation that has failed before its first result. */
export function sendOperationError(connection: SocketConnection, id: string, thrown: unknown) {
  const { session, services, protocol } = connection
  const audience = { session, config: services.engine.config }
  const errors = [renderGraphqlError(toEngineError(thrown), audience)]
  sendMessage(connection, { type: 'error', id, payload: protocol.errorPayload(errors) })
}

/** Reports a fault as the connection's protocol does, and ends the connection if that is required. */
export function reportFault(connection: SocketConnection, fault: SocketFault, reason: string) {
  const { protocol, socket } = connection
  if (protocol.faults !== 'connection_error')
    return socket.close(protocol.faults[fault], closeReason(reason))
  sendMessage(connection, { type: 'connection_error', payload: reason })
  // The older protocol stays open after a message that is out of place, unless there is no session yet.
  if (!connection.session || fault === 'forbidden') socket.close(1000)
}

/** As much of the text as a close frame has room for (RFC 6455 5.5); a reason may quote what a client has sent. */
function closeReason(text: string): Buffer {
  const bytes = Buffer.alloc(123)
  return bytes.subarray(0, new TextEncoder().encodeInto(text, bytes).written)
}
