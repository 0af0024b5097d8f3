import { createServer, type RequestListener, type Server } from 'node:http'
import type { Log } from './log.ts'

/** How long a request under way may take to finish after SIGTERM. */
const GRACE_MS = 10_000

type Options = { host: string; port: number; log: Log; close: () => Promise<void> }

/**
 * Listens, and on SIGTERM or SIGINT stops accepting, lets what is running finish, then closes.
 *
 * @param options.close ends what the requests used: pools, threads
 * @throws when the address is in use
 */
export async function serve(
  handle: RequestListener,
  { host, port, log, close }: Options,
): Promise<Server> {
  const server = createServer(TIMEOUTS, handle)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  log.info({ address: server.address() }, 'listening')
  const end = async () => {
    await stop(server, log)
    await close()
    log.info('stopped')
    if (process.connected) process.disconnect()
  }
  // `disconnect`: whoever started this process is gone.
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, () => void end())
  return server
}

/** A client that sends slowly holds a connection no longer than this. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 20_000, keepAliveTimeout: 30_000 }

async function stop(server: Server, log: Log): Promise<void> {
  log.info('stopping')
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const killer = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearTimeout(killer)
}
