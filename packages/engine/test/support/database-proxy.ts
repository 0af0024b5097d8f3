import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A proxy to a database; tests can interrupt its connections. */
export type DatabaseProxy = {
  port: number
  /** The database's URL through the proxy. */
  url: string
  /** Stops forwarding but closes no connection, so that both ends see only silence. */
  block(): void
  unblock(): void
  closeConnections(): void
  /** Stops forwarding on the current connections, as if the other end had vanished. New connections work. */
  stallConnections(): void
  close(): void
}

/** @param hangUpMs after the database closes a connection, the delay until the client's connection is closed */
export async function startDatabaseProxy(database: string, hangUpMs = 0): Promise<DatabaseProxy> {
  const { hostname, port: databasePort } = new URL(database)
  const sockets = new Set<Socket>()
  const stalledSockets = new Set<Socket>()
  const state = { blocked: false }
  const server: Server = createServer({ allowHalfOpen: true }, (clientSocket) => {
    const databaseSocket = connect(Number(databasePort), hostname)
    for (const socket of [clientSocket, databaseSocket]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    clientSocket
      .on('data', (data) => databaseSocket.write(data))
      .on('end', () => databaseSocket.end())
    clientSocket.on('close', () => databaseSocket.destroy())
    databaseSocket.on('data', (data) => clientSocket.write(data))
    databaseSocket.on('close', () => setTimeout(() => clientSocket.destroy(), hangUpMs))
    if (state.blocked) for (const socket of [clientSocket, databaseSocket]) socket.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = Object(server.address())
  return {
    port,
    url: Object.assign(new URL(database), { port: String(port) }).href,
    block() {
      state.blocked = true
      for (const socket of sockets) socket.pause()
    },
    unblock() {
      state.blocked = false
      for (const socket of sockets) if (!stalledSockets.has(socket)) socket.resume()
    },
    closeConnections() {
      for (const socket of sockets) socket.destroy()
    },
    stallConnections() {
      for (const socket of sockets) stalledSockets.add(socket.pause())
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
