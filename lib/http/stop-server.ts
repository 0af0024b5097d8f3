import type { Server } from 'node:http'

/** How often to look for connections that have become idle. */
const SWEEP_MS = 20

/**
 * Accepts no new connections, lets the requests under way finish, and cuts off what is still open after `graceMs`.
 *
 * Node closes the connections that are idle at the call. A kept one becomes idle later, with its last answer, and
 * would then hold the server open.
 */
export async function stopServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const sweeper = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const killer = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(sweeper)
  clearTimeout(killer)
}
