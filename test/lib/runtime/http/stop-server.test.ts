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
  const { stopServer, near } = await connectedServer()
  const closed = once(near, 'close')
  await stopServer(GRACE)
  await closed
})

test('a request that has half arrived when the server stops is still answered', async () => {
  const { stopServer, near, far } = await connectedServer()
  near.write('GET / HTTP/1.1\r\nho')
  await expect.poll(() => far.bytesRead).toBeGreaterThan(0)
  const stop = stopServer(GRACE)
  near.write('st: x\r\n\r\n')
  const [answer] = await once(near, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK/)
  await stop
})

/** Starts a server with one connection; returns both ends of the connection. */
async function connectedServer() {
  const server = createServer((_request, response) => response.end())
  const stopServer = createServerStop(server)
  const port = await freePort()
  await listenOn(server, { host: '127.0.0.1', port })
  const connection = once(server, 'connection')
  const near = connect(port, '127.0.0.1')
  onTestFinished(() => void near.destroy())
  const [far]: Socket[] = await connection
  if (far === undefined) throw new Error('no connection')
  return { stopServer, near, far }
}
