import type { WebSocket } from 'ws'

/** How long the other end may take to answer our close frame before the connection is cut. */
const MAX_CLOSE_WAIT_MS = 1_000

/** Closes a socket. `code` may be the code with which the socket on the other side was closed. */
export function closeSocket(side: WebSocket, code: number, reason: string): void {
  // A paused socket would not notice that the other side has closed it.
  if (side.isPaused) side.resume()
  side.close(sendableCloseCode(code), reason)
  const timer = setTimeout(() => side.terminate(), MAX_CLOSE_WAIT_MS)
  side.once('close', () => clearTimeout(timer))
}

/**
 * Returns the code to send in the close frame, since reserved codes must not be sent (RFC 6455 7.4.1). The code for a
 * broken connection becomes 1012 (service restart), after which clients reconnect. After 1011, clients that use graphql-ws
 * would give up. Hasura also breaks the connection, without a close frame, when a session ends.
 */
function sendableCloseCode(code: number): number {
  if (code === 1005) return 1000
  return code === 1006 || code === 1015 ? 1012 : code
}
