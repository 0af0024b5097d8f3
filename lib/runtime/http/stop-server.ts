import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often to look for connections that have become idle. */
const SWEEP_MS = 20

type Waits = {
  /**
   * How long an idle connection may still bring a request. A proxy that keeps connections for less than that loses none:
   * closed at once, they could be closed at the moment in which a request is sent on one of them.
   */
  drainMs?: number
  /** After this long, from the end of `drainMs`, what is still open is cut off. */
  graceMs: number
}

/**
 * Accepts no new connections, lets the requests under way finish, and cuts off what is still open in the end.
 *
 * Node closes the connections that are idle at the call. A kept one becomes idle later, with its last answer, and
 * would then hold the server open.
 */
export type StopServer = (waits: Waits) => Promise<void>

/** How to stop a server, which is asked for before it listens. */
export function stopOf(server: Server): StopServer {
  const closeIdle = idleCloser(server)
  return async ({ drainMs = 0, graceMs }) => {
    const closed = new Promise<void>((resolve) => server.once('close', resolve))
    if (drainMs > 0) {
      server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false
      })
      // Not the close of an HTTP server, which closes the idle connections, too.
      NetServer.prototype.close.call(server)
      await Promise.race([closed, sleep(drainMs, null, { ref: false })])
    } else server.close()
    closeIdle()
    const sweeper = setInterval(closeIdle, SWEEP_MS)
    const killer = setTimeout(() => server.closeAllConnections(), graceMs)
    await closed
    clearInterval(sweeper)
    clearTimeout(killer)
  }
}

/** Closes idle connections, also those that a browser opened ahead and has not used yet, which Node does not take for idle. */
function idleCloser(server: Server): () => void {
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return () => {
    server.closeIdleConnections()
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  }
}
