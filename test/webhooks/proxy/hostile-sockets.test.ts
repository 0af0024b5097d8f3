import { once } from 'node:events'
import { createServer, IncomingMessage, request, type Server } from 'node:http'
import { connect, Socket as TcpSocket } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createCredentialGate } from '../../../lib/runtime/limits/credential-gate.ts'
import { createLoopShare } from '../../../lib/runtime/limits/loop-share.ts'
import { createLogger } from '../../../lib/runtime/log/log.ts'
import { openSocket } from '../../../packages/engine/test/support/socket.ts'
import { createCallerNames } from '../../../webhooks/credentials/caller-names.ts'
import { forwardSockets, upgradeAddress } from '../../../webhooks/proxy/sockets/forward-sockets.ts'

// The clients misbehave. The tests also control a fake Hasura.

let hasura: WebSocketServer
let server: Server
let url: string

beforeAll(async () => {
  hasura = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(hasura, 'listening')
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${Object(server.address()).port}`
  server.on('upgrade', forwarder().upgrade)
})
afterAll(() => {
  hasura.close()
  server.close()
})

function forwarder(idleMs = 1_000) {
  const endpoint = `http://127.0.0.1:${Object(hasura.address()).port}`
  const log = createLogger('test', 'silent')
  const callers = createCallerNames(async () => null)
  const limits = {
    trustedProxyHops: 0,
    gate: createCredentialGate(),
    callers,
    loop: createLoopShare(),
    idleMs,
  }
  return forwardSockets({
    endpoint,
    baseUrl: 'http://localhost:3000',
    timeoutMs: 30_000,
    log,
    ...limits,
  })
}

/** Starts another server, which closes idle connections after `idleMs`, and returns its address. */
async function serveWithIdleTime(idleMs: number): Promise<string> {
  const idleServer = createServer().on('upgrade', forwarder(idleMs).upgrade).listen(0, '127.0.0.1')
  onTestFinished(() => void idleServer.close())
  await once(idleServer, 'listening')
  return `http://127.0.0.1:${Object(idleServer.address()).port}`
}

/** Opens a client, and returns it with Hasura's side of its connection. */
async function pair(at = url) {
  const accepted = once(hasura, 'connection')
  const client = await openSocket(at, 'graphql-transport-ws')
  const [upstream]: WebSocket[] = await accepted
  if (!upstream) throw new Error('Hasura has no socket.')
  client.send({ type: 'connection_init' })
  await once(upstream, 'message')
  return { client, upstream }
}

/** Sends a pong regularly, so that the connection does not count as idle. */
function keepTalking(ws: WebSocket): () => void {
  const timer = setInterval(() => ws.send('{"type":"pong"}'), 200)
  return () => clearInterval(timer)
}

/** Returns how many bytes a client could not send, once the number no longer changes. */
async function unsentBytes(ws: WebSocket): Promise<number> {
  let bufferedBefore = Number.POSITIVE_INFINITY
  while (ws.bufferedAmount < bufferedBefore) {
    bufferedBefore = ws.bufferedAmount
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return ws.bufferedAmount
}

test('a client that sends but does not read is cut off', async () => {
  const { client, upstream } = await pair()
  const closeEvent = once(upstream, 'close')
  const stop = keepTalking(client.ws)
  client.ws.pause()
  const message = JSON.stringify({ type: 'next', id: '1', payload: 'x'.repeat(100_000) })
  for (let i = 0; i < 200; i++) upstream.send(message)
  await closeEvent
  stop()
  client.ws.terminate()
})

test('a client that reads slowly is not cut off', async () => {
  // The idle time is longer than this thread may be busy with other tests, and shorter than the sum of the pauses.
  const { client, upstream } = await pair(await serveWithIdleTime(4_000))
  const stop = keepTalking(client.ws)
  const message = JSON.stringify({ type: 'next', id: '1', payload: 'x'.repeat(100_000) })
  for (let i = 0; i < 200; i++) upstream.send(message)
  for (let i = 0; i < 200; i++) {
    await client.next()
    if (i % 10 !== 0) continue
    client.ws.pause()
    await new Promise((resolve) => setTimeout(resolve, 250))
    client.ws.resume()
  }
  stop()
  client.ws.terminate()
})

test('a client that sends a thousand messages at once gets a response to each', async () => {
  const { client } = await pair(await serveWithIdleTime(30_000))
  const invalidMessage = (id: number) => ({
    type: 'subscribe',
    id: String(id).padStart(10_000),
    payload: { query: 'no document' },
  })
  for (let i = 0; i < 1_000; i++) client.send(invalidMessage(i))
  for (let i = 0; i < 1_000; i++) {
    const answer = await client.next()
    expect([answer.type, Number(answer.id)]).toEqual(['error', i])
  }
  client.ws.terminate()
})

test('a server stops reading from a client that does not read its errors', async () => {
  // On a busy machine, sending takes longer than the idle timeout of the other tests.
  const { client } = await pair(await serveWithIdleTime(30_000))
  client.ws.pause()
  const id = 'x'.repeat(10_000)
  const invalidMessage = JSON.stringify({
    type: 'subscribe',
    id,
    payload: { query: 'no document' },
  })
  for (let i = 0; i < 4_000; i++) client.ws.send(invalidMessage)
  expect(await unsentBytes(client.ws)).toBeGreaterThan(10_000_000)
  client.ws.terminate()
})

test('a connection that closed before its upgrade does not count as open', async () => {
  const { upgrade } = forwarder()
  for (let i = 0; i < 600; i++) {
    const closedSocket = new TcpSocket()
    closedSocket.destroy()
    await once(closedSocket, 'close')
    upgrade(
      Object.assign(new IncomingMessage(closedSocket), { url: '/v1/graphql' }),
      closedSocket,
      Buffer.of(),
    )
  }
  const other = createServer().on('upgrade', upgrade).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const client = await openSocket(`http://127.0.0.1:${Object(other.address()).port}`, undefined)
  client.ws.terminate()
  other.close()
})

test('one address can have 500 WebSockets, and the next gets 429', async () => {
  const { upgrade } = forwarder(60_000)
  const other = createServer().on('upgrade', upgrade).listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = Object(other.address())
  const head = [
    'GET /v1/graphql HTTP/1.1',
    'Host: a',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ]
  const open = async (forwardedFor: string) => {
    const tcp = connect(port, '127.0.0.1')
    tcp.write(`${[...head, `X-Forwarded-For: ${forwardedFor}`].join('\r\n')}\r\n\r\n`)
    const [answer] = await once(tcp, 'data')
    return { tcp, status: Number(String(answer).slice(9, 12)) }
  }
  const connections = await Promise.all(Array.from({ length: 501 }, (_, n) => open(`192.0.2.${n}`)))
  expect(connections.filter(({ status }) => status === 101)).toHaveLength(500)
  expect(connections.filter(({ status }) => status === 429)).toHaveLength(1)
  for (const { tcp } of connections) tcp.destroy()
  other.close()
})

describe('a WebSocket and a request of a client have the same address', () => {
  const chains = ['', '192.0.2.1', '192.0.2.1, 192.0.2.2', ' a ,, b,c ', '::1, 2001:db8::1']
  const cases = chains.flatMap((chain) =>
    [0, 1, 2, 5].map((hops): [string, number] => [chain, hops]),
  )

  test.each(cases)(
    'a WebSocket has the address of a request for X-Forwarded-For: "%s" behind %i proxies',
    async (chain, hops) => {
      const expressApp = express().set('trust proxy', hops)
      expressApp.get(
        '/',
        (httpRequest, response) =>
          void response.json([httpRequest.ip, upgradeAddress(httpRequest, hops)]),
      )
      const httpServer = createServer(expressApp).listen(0, '127.0.0.1')
      await once(httpServer, 'listening')
      const httpRequest = request({
        port: Object(httpServer.address()).port,
        headers: { 'x-forwarded-for': chain },
      }).end()
      const [answer] = await once(httpRequest, 'response')
      const [[requestAddress, socketAddress]] = (await answer.toArray()).map((part: Buffer) =>
        JSON.parse(String(part)),
      )
      expect(socketAddress).toBe(requestAddress)
      httpServer.close()
    },
  )
})
