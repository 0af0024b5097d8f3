import { connect } from 'node:net'
import type { PoolClient } from 'pg'

/**
 * Asks the server to cancel a connection's statement. Resolves when the request is delivered, or cannot be delivered.
 *
 * Uses the protocol's cancel request instead of `pg_cancel_backend`, because a pooler gives its clients other process ids.
 * PostgreSQL and poolers accept the request without TLS and without a login: it contains a secret of the connection.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function requestCancel(connection: PoolClient): Promise<void> {
  const { host, port } = connection
  const isSocket = host.startsWith('/')
  return new Promise((resolve) => {
    const socket = connect(isSocket ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    // Errors are ignored, because the statement's time limit ends the statement if the request fails.
    socket.on('error', () => {}).once('close', () => resolve())
    socket.setTimeout(GIVE_UP_MS, () => socket.destroy())
    // Waits until the server closes the connection, without a response. A pooler drops the request if the client closes first.
    socket.resume().write(cancelMessage(connection))
  })
}

const GIVE_UP_MS = 5_000
const CANCEL_REQUEST_CODE = 80_877_102

function cancelMessage(connection: PoolClient): Buffer {
  const message = Buffer.alloc(16)
  message.writeInt32BE(message.length, 0)
  message.writeInt32BE(CANCEL_REQUEST_CODE, 4)
  message.writeInt32BE('processID' in connection ? Number(connection.processID) : 0, 8)
  message.writeInt32BE('secretKey' in connection ? Number(connection.secretKey) : 0, 12)
  return message
}
