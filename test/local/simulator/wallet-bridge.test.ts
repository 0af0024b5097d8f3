import { once } from 'node:events'
import type { Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { createWalletBridge } from '../../../local/simulator/wallet-bridge.ts'

// Sends the requests of a page and of a wallet to the bridge. The bridge does not read the messages, so they are not encrypted.

const REQUEST = { iv: 'aXY=', payload: 'cmVxdWVzdA==' }
const RESPONSE = { iv: 'aXY=', payload: 'cmVzcG9uc2U=' }

let server: Server
let url: string

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  server = createWalletBridge().listen(port, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

test('the bridge delivers a request and its response once', async () => {
  const id = await leaveRequest()
  expect(await send('GET', `/response/${id}`)).toEqual(answer('initialized'))
  expect(await send('GET', `/request/${id}`)).toEqual({ status: 200, body: REQUEST })
  expect(await send('GET', `/request/${id}`)).toEqual(NOT_FOUND)
  expect(await send('GET', `/response/${id}`)).toEqual(answer('retrieved'))
  expect(await send('PUT', `/response/${id}`, RESPONSE)).toEqual({ status: 201, body: null })
  expect(await send('PUT', `/response/${id}`, RESPONSE)).toEqual(NOT_FOUND)
  expect(await send('GET', `/response/${id}`)).toEqual(answer('completed', RESPONSE))
  // A page may poll again before it has read the response. This poll must not fail.
  expect(await send('GET', `/response/${id}`)).toEqual(answer('retrieved'))
  expect(await send('PUT', `/response/${id}`, RESPONSE)).toEqual(NOT_FOUND)
})

test('a response to a request that was not fetched gets 404, and so does an unknown request', async () => {
  const id = await leaveRequest()
  expect(await send('PUT', `/response/${id}`, RESPONSE)).toEqual(NOT_FOUND)
  expect(await send('GET', `/response/${crypto.randomUUID()}`)).toEqual(NOT_FOUND)
})

test('a page may choose the id of its request, but not the id of another request', async () => {
  const request = { ...REQUEST, request_id: 'f'.repeat(64) }
  const created = { status: 201, body: { request_id: request.request_id } }
  expect(await send('POST', '/request', request)).toEqual(created)
  expect(await send('POST', '/request', request)).toEqual({ status: 409, body: null })
  expect(await send('GET', `/request/${request.request_id}`)).toEqual({
    status: 200,
    body: REQUEST,
  })
  expect(await send('POST', '/request', { ...REQUEST, request_id: '1' })).toMatchObject({
    status: 400,
  })
})

const NOT_FOUND = { status: 404, body: null }

function answer(status: string, response: unknown = null) {
  return { status: 200, body: { status, response } }
}

async function leaveRequest(): Promise<string> {
  const { body } = await send('POST', '/request', REQUEST)
  return Object(body).request_id
}

async function send(method: string, path: string, message?: object) {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(message && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    }),
  })
  const text = await response.text()
  return { status: response.status, body: text ? JSON.parse(text) : null }
}
