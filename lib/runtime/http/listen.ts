import type { Server } from 'node:net'

/** @throws when the address is in use */
export function listenOn(server: Server, { host, port }: { host: string; port: number }) {
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
}
