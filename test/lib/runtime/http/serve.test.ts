import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'

/** A server that prints each request and answers 300 ms later, so that a request can run when the server must stop. */
const SERVER = `
  import express from 'express'
  import { serve } from './lib/runtime/http/serve.ts'
  import { createLogger } from './lib/runtime/log/log.ts'
  const web = express().use((_request, response) => {
    console.log('request')
    setTimeout(() => response.end('done'), 300)
  })
  const close = async () => console.log('closed')
  await serve(web, {
    host: '127.0.0.1',
    port: Number(process.argv[1]),
    log: createLogger('test', 'silent'),
    errorBody: ({ code, message }) => ({ code, message }),
    close })
  console.log('listening')
`

/** A server that also answers WebSockets, with 426. */
const SOCKET_SERVER = SERVER.replace(
  'close })',
  `close, sockets: {
    upgrade: (_request, socket) => socket.end('HTTP/1.1 426 Upgrade Required\\r\\n\\r\\n'),
    close() {},
  } })`,
)

/** A server that drains for a minute. */
const DRAINING_SERVER = SERVER.replace('close })', 'close, drainMs: 60_000 })')

const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'

test.each([
  ['SIGTERM'],
  ['SIGINT'],
  ['disconnect'],
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'disconnect'],
] as const)(
  'on %s the server finishes the running request, then closes everything once',
  async (...endings) => {
    const port = await freePort()
    const { child, output } = startWithChannel(SERVER, port)
    await expect.poll(output).toContain('listening')
    const answer = fetch(`http://127.0.0.1:${port}`).then((response) => response.text())
    await expect.poll(output).toContain('request')
    const exit = endOf(child)
    for (const ending of endings) {
      if (ending !== 'disconnect') child.kill(ending)
      // On a slow machine the process may have ended already.
      else if (child.connected) child.disconnect()
      await pause(20)
    }
    expect(await answer).toBe('done')
    expect(await exit).toEqual([0, null])
    expect(output()).toBe('listening\nrequest\nclosed\n')
  },
)

test('while the server drains, a client may send one more request on a keep-alive connection, and the server then closes it', async () => {
  const { socket, received, child } = await connectTo(DRAINING_SERVER)
  socket.write(REQUEST)
  await expect.poll(received).toContain('\ndone')
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await vi.waitFor(() => expect(connects(socket.remotePort)).resolves.toBe(false), 10_000)
  socket.write(REQUEST)
  await once(socket, 'close')
  expect(received().match(/\ndone/g)).toHaveLength(2)
  expect(received().match(/connection: close/gi)).toHaveLength(1)
  // No connection is left, so the server ends.
  expect(await exit).toEqual([0, null])
})

test('a draining server closes an idle keep-alive connection at the end of the drain time', async () => {
  const { socket, received, child } = await connectTo(DRAINING_SERVER.replace('60_000', '200'))
  socket.write(REQUEST)
  await expect.poll(received).toContain('\ndone')
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})

test('a server ends if its parent process ends before the server listens', async () => {
  const lateServer = `await new Promise((resolve) => process.once('disconnect', resolve))\n${SERVER}`
  const { child, output } = startWithChannel(lateServer, await freePort())
  const exit = endOf(child)
  child.disconnect()
  expect(await exit).toEqual([0, null])
  expect(output()).toBe('listening\nclosed\n')
})

test('a server does not start if its address is in use', async () => {
  const port = await freePort()
  const start = () =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', SERVER, String(port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const first = start()
  await once(first.stdout, 'data')
  const second = start()
  let error = ''
  second.stderr.on('data', (text) => {
    error += text
  })
  await once(second, 'close')
  first.kill()
  expect(second.exitCode).toBe(1)
  expect(error).toContain('EADDRINUSE')
})

test.each([
  [32, 32],
  [33, 0],
])('of %i pipelined requests on one connection, %i are answered', async (requests, responses) => {
  const { socket, received } = await connectTo(SERVER)
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(requests))
  await Promise.race([
    once(socket, 'close'),
    vi.waitFor(() => expect(received().match(/\ndone/g)).toHaveLength(requests), 30_000),
  ])
  expect(received().match(/\ndone/g) ?? []).toHaveLength(responses)
})

test.each([
  ['h2c', 'Upgrade, HTTP2-Settings', 'done'],
  ['TLS/1.2', 'upgrade', 'done'],
  ['websocket', 'upgrade', '426 Upgrade Required'],
  ['WebSocket', 'keep-alive, Upgrade', '426 Upgrade Required'],
])(
  'an upgrade to %s, offered by "connection: %s", gets %s',
  async (protocol, connection, answer) => {
    const { socket, received } = await connectTo(SOCKET_SERVER)
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\nupgrade: ${protocol}\r\ncontent-length: 2\r\n\r\n{}`,
    )
    await expect.poll(received).toContain(answer)
  },
)

test.each([
  [400, 'invalid_request', 'nonsense\r\n\r\n'],
  [400, 'invalid_request', 'GET / HTTP/1.1\r\nhost: x\r\na line\r\n\r\n'],
  [431, 'payload_too_large', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  [431, 'payload_too_large', `GET / HTTP/1.1\r\ncookie: ${'x'.repeat(20_000)}\r\n\r\n`],
  [431, 'payload_too_large', `GET / HTTP/1.1\r\ncookie: ${'x'.repeat(1_000_000)}\r\n\r\n`],
])(
  'a malformed request gets %i %s as a JSON error with a request id',
  async (status, code, request) => {
    const { socket, received } = await connectTo(SERVER)
    socket.write(request)
    await once(socket, 'close')
    expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(received()).toMatch(/\r\nx-request-id: [\da-f-]{36}\r\n/)
    const [, body = ''] = received().split('\r\n\r\n')
    expect(JSON.parse(body)).toEqual({ code, message: expect.any(String) })
  },
)

test('malformed bytes after the start of a response close the connection without a second response', async () => {
  const { socket, received } = await connectTo(
    SERVER.replace("setTimeout(() => response.end('done'), 300)", "response.write('first part')"),
  )
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n')
  await expect.poll(received).toContain('first part')
  socket.write('nonsense\r\n')
  await once(socket, 'close')
  expect(received().match(/HTTP/g)).toHaveLength(1)
})

/** Starts a server with an IPC channel, as `npm start` does. The channel closes with the parent process. */
function startWithChannel(server: string, port: number) {
  const child = spawn(
    process.execPath,
    ['--input-type=module-typescript', '-e', server, String(port)],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout?.on('data', (text) => {
    output += text
  })
  return { child, output: () => output }
}

/** Waits for the end of a process and of its output; returns the exit code and the signal. */
async function endOf(child: ChildProcess): Promise<unknown> {
  const [end] = await Promise.all([
    once(child, 'exit'),
    child.stdout && once(child.stdout, 'close'),
  ])
  return end
}

async function connectTo(server: string) {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    ['--input-type=module-typescript', '-e', server, String(port)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  onTestFinished(() => void socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return { child, socket, received: () => text }
}

async function connects(port: number | undefined): Promise<boolean> {
  const socket = connect(port ?? 0, '127.0.0.1')
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
