import { once } from 'node:events'
import type { Server } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { createWalletBridge } from '../../../local/simulator/wallet-bridge.ts'

// What a page and a wallet do with the bridge, which cannot read their messages.

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

test('a request and its response are handed over once', async () => {
  const id = await leaveRequest()
  expect(await ask('GET', `/response/${id}`)).toEqual(answer('initialized'))
  expect(await ask('GET', `/request/${id}`)).toEqual({ status: 200, body: REQUEST })
  expect(await ask('GET', `/request/${id}`)).toEqual(NOT_FOUND)
  expect(await ask('GET', `/response/${id}`)).toEqual(answer('retrieved'))
  expect(await ask('PUT', `/response/${id}`, RESPONSE)).toEqual({ status: 201, body: null })
  expect(await ask('PUT', `/response/${id}`, RESPONSE)).toEqual(NOT_FOUND)
  expect(await ask('GET', `/response/${id}`)).toEqual(answer('completed', RESPONSE))
  // A page may have asked twice before it was answered: it has the response, and is not refused.
  expect(await ask('GET', `/response/${id}`)).toEqual(answer('retrieved'))
  expect(await ask('PUT', `/response/${id}`, RESPONSE)).toEqual(NOT_FOUND)
})

test('a wallet cannot answer what it has not taken, and nobody is told of a request that never was', async () => {
  const id = await leaveRequest()
  expect(await ask('PUT', `/response/${id}`, RESPONSE)).toEqual(NOT_FOUND)
  expect(await ask('GET', `/response/${crypto.randomUUID()}`)).toEqual(NOT_FOUND)
})

const NOT_FOUND = { status: 404, body: null }

function answer(status: string, response: unknown = null) {
  return { status: 200, body: { status, response } }
}

async function leaveRequest(): Promise<string> {
  const { body } = await ask('POST', '/request', REQUEST)
  return Object(body).request_id
}

async function ask(method: string, path: string, message?: object) {
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
