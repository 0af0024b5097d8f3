import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy to a database whose connections can be interrupted. */
export type Road = {
  port: number
  /** The database's URL through the proxy. */
  url: string
  /** Stops forwarding but closes no connection, so that both ends see only silence. */
  block(): void
  clear(): void
  cut(): void
  /** Stops forwarding on the current connections, as if the other end had vanished. New connections work. */
  lose(): void
  close(): void
}

/** @param hangUpMs the delay before the client's end is closed after the database's */
export async function openRoad(database: string, hangUpMs = 0): Promise<Road> {
  const { hostname, port: behind } = new URL(database)
  const ends = new Set<Socket>()
  const lost = new Set<Socket>()
  const state = { blocked: false }
  const server: Server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(Number(behind), hostname)
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => {}).on('close', () => ends.delete(end))
    }
    near.on('data', (data) => far.write(data)).on('end', () => far.end())
    near.on('close', () => far.destroy())
    far.on('data', (data) => near.write(data))
    far.on('close', () => setTimeout(() => near.destroy(), hangUpMs))
    if (state.blocked) for (const end of [near, far]) end.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = Object(server.address())
  return {
    port,
    url: Object.assign(new URL(database), { port: String(port) }).href,
    block() {
      state.blocked = true
      for (const end of ends) end.pause()
    },
    clear() {
      state.blocked = false
      for (const end of ends) if (!lost.has(end)) end.resume()
    },
    cut() {
      for (const end of ends) end.destroy()
    },
    lose() {
      for (const end of ends) lost.add(end.pause())
    },
    close() {
      for (const end of ends) end.destroy()
      server.close()
    },
  }
}
