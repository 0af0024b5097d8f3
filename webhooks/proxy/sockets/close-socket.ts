import type { WebSocket } from 'ws'

/** How long the other end may take to answer our close frame before its connection is ended. */
const MAX_CLOSE_WAIT_MS = 1_000

/** Closes a socket, with a code that may be one that its partner was closed with. */
export function closeSocket(side: WebSocket, code: number, reason: string): void {
  // A paused socket would never see that the other side has closed it.
  if (side.isPaused) side.resume()
  side.close(sendableCloseCode(code), reason)
  const cut = setTimeout(() => side.terminate(), MAX_CLOSE_WAIT_MS)
  side.once('close', () => clearTimeout(cut))
}

/**
 * The code to close the other side with: reserved codes may not be sent (RFC 6455 7.4.1). A broken connection becomes 1012,
 * service restart, after which clients connect again; after 1011 those of graphql-ws give up. Hasura also breaks off without
 * a close frame when a session is over.
 */
function sendableCloseCode(code: number): number {
  if (code === 1005) return 1000
  return code === 1006 || code === 1015 ? 1012 : code
}
