import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listenOn } from '../../../../lib/runtime/http/listen.ts'
import { createServerStop } from '../../../../lib/runtime/http/stop-server.ts'
import { freePort } from '../../../../local/process/free-port.ts'

/** Longer than a test may take: what it is given to is not waited for. */
const GRACE = { graceMs: 3_600_000 }

test('a connection on which nothing was sent yet is not waited for', async () => {
  const { stopServer, near } = await connectedServer()
  const closed = once(near, 'close')
  await stopServer(GRACE)
  await closed
})

test('one on which half a request was sent brings the other half, and gets its answer', async () => {
  const { stopServer, near, far } = await connectedServer()
  near.write('GET / HTTP/1.1\r\nho')
  await expect.poll(() => far.bytesRead).toBeGreaterThan(0)
  const stopped = stopServer(GRACE)
  near.write('st: x\r\n\r\n')
  const [answer] = await once(near, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 200 OK/)
  await stopped
})

/** Both ends of the only connection of a server that answers everything. */
async function connectedServer() {
  const server = createServer((_request, response) => response.end())
  const stopServer = createServerStop(server)
  const port = await freePort()
  await listenOn(server, { host: '127.0.0.1', port })
  const accepted = once(server, 'connection')
  const near = connect(port, '127.0.0.1')
  onTestFinished(() => void near.destroy())
  const [far]: Socket[] = await accepted
  if (far === undefined) throw new Error('no connection')
  return { stopServer, near, far }
}
