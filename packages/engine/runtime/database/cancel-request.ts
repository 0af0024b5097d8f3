import { connect } from 'node:net'
import type { PoolClient } from 'pg'

/**
 * Asks the server to cancel what a connection runs, and resolves when it has been told, or cannot be.
 *
 * It is the protocol's own request and not `pg_cancel_backend`, since a pooler between gives its clients process ids of
 * its own. PostgreSQL and poolers take it without TLS and without a login: it has a secret of the connection.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS
 */
export function requestCancel(connection: PoolClient): Promise<void> {
  const { host, port } = connection
  const isSocket = host.startsWith('/')
  return new Promise((resolve) => {
    const socket = connect(isSocket ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    // An error is ignored: the statement ends by itself, as late as its limit of time says.
    socket.on('error', () => {}).once('close', () => resolve())
    socket.setTimeout(GIVE_UP_MS, () => socket.destroy())
    // The server answers nothing, and closes the connection. A pooler forgets requests of those who close it first.
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
