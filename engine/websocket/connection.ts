import type { WebSocket } from 'ws'
import type { ClientHeaders } from '../client.ts'
import type { Services } from '../http/exchange.ts'
import { graphqlError, toEngineError } from '../render-error.ts'
import type { Session } from '../session/session.ts'
import type { LiveQueries } from './live-queries.ts'
import type { Fault, Protocol } from './protocol.ts'

/** One socket and what it has going on. */
export type Connection = {
  socket: WebSocket
  protocol: Protocol
  services: Services
  live: LiveQueries
  /** Headers of the upgrade, and after the handshake those of its payload too. */
  headers: ClientHeaders
  session: Session | null
  /** Running operations by the client's id, and what ends each. */
  operations: Map<string, AbortController>
  timers: Set<NodeJS.Timeout>
}

/** Sends a message. */
export function send(connection: Connection, message: object) {
  sendText(connection, JSON.stringify(message))
}

/** Sends text to the client; one that does not read what it asked for is cut off. */
export function sendText({ socket }: Connection, text: string) {
  if (socket.readyState !== socket.OPEN) return
  if (socket.bufferedAmount > MOST_UNREAD_BYTES) return socket.terminate()
  socket.send(text)
}

const MOST_UNREAD_BYTES = 64 * 1024 * 1024

/** Tells that an operation has failed before it gave anything. */
export function sendErrors(connection: Connection, id: string, thrown: unknown) {
  const { session, services, protocol } = connection
  const audience = { session, config: services.engine.config }
  const errors = [graphqlError(toEngineError(thrown), audience)]
  send(connection, { type: 'error', id, payload: protocol.errors(errors) })
}

/** Ends the connection in its protocol's way. */
export function fail(connection: Connection, fault: Fault, reason: string) {
  const { protocol, socket } = connection
  if (protocol.fault !== 'connection_error') return socket.close(protocol.fault[fault], reason)
  send(connection, { type: 'connection_error', payload: reason })
  // A message out of place is only complained about; without a session there is nothing to keep.
  if (!connection.session || fault === 'forbidden') socket.close(1000)
}
