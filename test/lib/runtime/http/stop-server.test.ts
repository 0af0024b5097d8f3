import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listenOn } from '../../../../lib/runtime/http/listen.ts'
import { createServerStop } from '../../../../lib/runtime/http/stop-server.ts'
import { freePort } from '../../../../local/process/free-port.ts'

/** Longer than a test may take: a test that passes has not waited for this time. */
const GRACE = { graceMs: 3_600_000 }

test('stopping does not wait for a connection without a request', async () => {
  const { stopServer, clientSocket } = await startConnectedServer()
  const closed = once(clientSocket, 'close')
  await stopServer(GRACE)
  await closed
})

test('a request that has half arrived when the server stops is still answered', async () => {
  const { stopServer, clientSocket, serverSocket } = await startConnectedServer()
  clientSocket.write('GET / HTTP/1.1\r\nho')
  await expect.poll(() => serverSocket.bytesRead).toBeGreaterThan(0)
  const stop = stopServer(GRACE)
  clientSocket.write('st: x\r\n\r\n')
  const [answer] = await once(clientSocket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK/)
  await stop
})

/** Starts a server with one connection; returns both ends of the connection. */
async function startConnectedServer() {
  const server = createServer((_request, response) => response.end())
  const stopServer = createServerStop(server)
  const port = await freePort()
  await listenOn(server, { host: '127.0.0.1', port })
  const connection = once(server, 'connection')
  const clientSocket = connect(port, '127.0.0.1')
  onTestFinished(() => void clientSocket.destroy())
  const [serverSocket]: Socket[] = await connection
  if (serverSocket === undefined) throw new Error('no connection')
  return { stopServer, clientSocket, serverSocket }
}
