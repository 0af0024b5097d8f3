import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** How often idle connections are closed. */
const SWEEP_MS = 20

type Waits = {
  /**
   * How long an idle connection may bring a new request. A proxy with a shorter keep-alive time loses no request. Without
   * this time, the proxy might send a request on a connection that is being closed.
   */
  drainMs?: number
  /** After this time, counted from the end of `drainMs`, the remaining connections are cut. */
  graceMs: number
}

/**
 * Accepts no new connections, lets the running requests finish, and finally cuts the remaining connections.
 *
 * Node closes only the connections that are idle at the call. A keep-alive connection that becomes idle later would keep
 * the server open.
 */
export type StopServer = (waits: Waits) => Promise<void>

/** Creates the function that stops a server. Call it before the server listens. */
export function createServerStop(server: Server): StopServer {
  const closeIdle = createIdleCloser(server)
  return async ({ drainMs = 0, graceMs }) => {
    const closing = new Promise<void>((resolve) => server.once('close', resolve))
    if (drainMs > 0) {
      server.prependListener('request', (_request, response) => {
        response.shouldKeepAlive = false
      })
      // The HTTP server's own `close` would close the idle connections too.
      NetServer.prototype.close.call(server)
      await Promise.race([closing, sleep(drainMs, null, { ref: false })])
    } else server.close()
    closeIdle()
    const sweeper = setInterval(closeIdle, SWEEP_MS)
    const killer = setTimeout(() => server.closeAllConnections(), graceMs)
    await closing
    clearInterval(sweeper)
    clearTimeout(killer)
  }
}

/** Closes idle connections. Also closes unused connections that a browser has opened in advance; Node does not close these. */
function createIdleCloser(server: Server): () => void {
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
