import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'
import { sendRequest } from '../../outgoing/send-request.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Handles the nth request that the server gets. */
let handleRequest: (socket: Socket, nth: number) => void
let url: string
let requests = 0
/** The last request that the server received. */
let lastRequest = ''
const server = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (data) => {
    lastRequest = data.toString()
    requests += 1
    handleRequest(socket, requests)
  })
})

beforeAll(async () => {
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${port}/`
})
afterAll(() => server.close())

const outgoing = (rest: object = {}) => ({
  method: 'POST',
  url,
  headers: {},
  body: '{}',
  timeoutMs: 20_000,
  isRepeatable: false,
  ...rest,
})

/** Resets the connection at the second request, and answers the other requests. */
function closesAfterOne(socket: Socket, nth: number) {
  if (nth === 2) socket.resetAndDestroy()
  else socket.write(ANSWER)
}

test.each([
  [true, 3],
  [false, 2],
])(
  'a request on a connection that the server closed is retried only if isRepeatable (%s)',
  async (isRepeatable, times) => {
    requests = 0
    handleRequest = closesAfterOne
    expect((await sendRequest(outgoing())).text).toBe('ok')
    const second = sendRequest(outgoing({ isRepeatable }))
    if (isRepeatable) expect((await second).text).toBe('ok')
    else await expect(second).rejects.toThrow()
    expect(requests).toBe(times)
  },
)

test('a compressed response is decompressed', async () => {
  const body = gzipSync('{"text": "hi"}')
  handleRequest = (socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
  }
  expect(await sendRequest(outgoing())).toMatchObject({ status: 200, text: '{"text": "hi"}' })
  expect(lastRequest).toMatch(/^accept-encoding: gzip\r$/im)
})

test.each([
  ['that is too large when decompressed', gzipSync(Buffer.alloc(51 * 1024 * 1024)), 'too large'],
  ['that is not compressed despite its header', Buffer.from('{"text": "hi"}'), 'header check'],
  ['that is truncated', gzipSync('{"text": "hi"}').subarray(0, 20), 'unexpected end'],
])('a response %s causes an error', async (_what, body, message) => {
  handleRequest = (socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
    )
    socket.write(body)
  }
  await expect(sendRequest(outgoing())).rejects.toThrow(message)
})

test('a response that does not start within the timeout causes an error', async () => {
  handleRequest = () => {}
  await expect(sendRequest(outgoing({ timeoutMs: 500 }))).rejects.toThrow('Response timeout')
})

test('a response that stops halfway causes an error after the timeout', async () => {
  handleRequest = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nok')
  await expect(sendRequest(outgoing({ timeoutMs: 500 }))).rejects.toThrow('Response timeout')
})

test('an endless response is cut off', async () => {
  handleRequest = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const chunk = Buffer.alloc(1024 * 1024)
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
      socket.once('drain', more)
    }
    more()
  }
  await expect(sendRequest(outgoing())).rejects.toThrow('too large')
})
