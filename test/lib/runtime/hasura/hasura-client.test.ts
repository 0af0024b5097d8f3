import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { callHasura, createHasuraClient } from '../../../../lib/runtime/hasura/hasura-client.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Starts a fake Hasura with a listener for each request, and a client of it. The last listener answers all further requests. */
async function clientOf(...answers: RequestListener[]) {
  let received = 0
  const server = createServer((request, response) => {
    const answer = answers[Math.min(received, answers.length - 1)]
    received += 1
    request.resume().once('end', () => answer?.(request, response))
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const endpoint = `http://127.0.0.1:${port}`
  const client = createHasuraClient({
    endpoint,
    adminSecrets: ['next', 'old'],
    timeoutMs: answers[0] === silence ? 200 : 20_000,
  })
  const call = (type: string) =>
    callHasura(() => client.request('{ __typename }', {}, { 'x-request-id': 'r' }), 'Ask', type)
  return { call, received: () => received }
}

const data: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'application/json').end('{"data":{"n":1}}')
}
const reset: RequestListener = (request) => request.socket.destroy()
const silence: RequestListener = () => {}
const failure =
  (code: string, status = 200): RequestListener =>
  (_request, response) => {
    response.statusCode = status
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ errors: [{ message: 'm', extensions: { code } }] }))
  }

describe('calls succeed during a change of the admin secret', () => {
  const refusal: RequestListener = (_request, response) => {
    const message = 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"'
    const error = { message, extensions: { path: '$', code: 'access-denied' } }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ errors: [error] }))
  }
  const secretOf = (request: IncomingMessage) => request.headers['x-hasura-admin-secret']
  /** The responses of instances behind one address. The n-th response is from an instance with the n-th secret. */
  const instances = (...secrets: string[]) =>
    secrets.map<RequestListener>((secret) => (request, response) => {
      if (secretOf(request) === secret) data(request, response)
      else refusal(request, response)
    })

  test('a call succeeds although instances with the old and the new secret alternate', async () => {
    const oldFirst = await clientOf(...instances('old', 'next', 'old', 'next', 'old', 'next'))
    for (const _ of [1, 2, 3]) expect(await oldFirst.call('mutation')).toEqual({ n: 1 })
    const nextFirst = await clientOf(...instances('next', 'old', 'next', 'old', 'next', 'old'))
    for (const _ of [1, 2, 3]) expect(await nextFirst.call('mutation')).toEqual({ n: 1 })
  })

  test('a call fails after four attempts if Hasura rejects both secrets', async () => {
    const { call, received } = await clientOf(...instances('neither'))
    await expect(call('mutation')).rejects.toMatchObject({ code: 'internal_error' })
    expect(received()).toBe(4)
  })
})

describe('a failed call to Hasura is retried or gets an error code', () => {
  test('a call has the role service, the admin secret and the request id', async () => {
    let headers: unknown
    const { call } = await clientOf((request, response) => {
      headers = request.headers
      data(request, response)
    })
    expect(await call('query')).toEqual({ n: 1 })
    expect(headers).toMatchObject({
      'x-hasura-admin-secret': 'next',
      'x-hasura-role': 'service',
      'x-request-id': 'r',
      'content-type': 'application/json',
    })
  })

  test('a query is retried once when its connection breaks', async () => {
    const { call, received } = await clientOf(reset, data)
    expect(await call('query')).toEqual({ n: 1 })
    expect(received()).toBe(2)
  })

  test('a query is sent twice, and then fails, if its connection always breaks', async () => {
    const { call, received } = await clientOf(reset)
    await expect(call('query')).rejects.toMatchObject({ code: 'unavailable' })
    expect(received()).toBe(2)
  })

  test('a mutation is not retried when its connection breaks', async () => {
    const { call, received } = await clientOf(reset, data)
    await expect(call('mutation')).rejects.toMatchObject({ code: 'unavailable' })
    expect(received()).toBe(1)
  })

  test('a text that PostgreSQL cannot store gives validation_error (400)', async () => {
    const { call } = await clientOf(failure('data-exception'))
    await expect(call('query')).rejects.toMatchObject({ code: 'validation_error', status: 400 })
  })

  test('a response with an invalid HTTP status gives unavailable', async () => {
    const { call } = await clientOf(failure('unexpected', 999))
    await expect(call('mutation')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a response that breaks off gives unavailable', async () => {
    const { call } = await clientOf((request, response) => {
      response.writeHead(200, { 'content-length': 99 }).write('{', () => request.socket.destroy())
    })
    await expect(call('mutation')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a call without a response in time gives unavailable', async () => {
    const { call } = await clientOf(silence)
    await expect(call('mutation')).rejects.toMatchObject({ code: 'unavailable' })
  })
})

test.each([
  ['postgres-error', 200, 'unavailable'],
  ['unexpected', 200, 'unavailable'],
  ['validation-failed', 502, 'unavailable'],
  ['validation-failed', 200, 'internal_error'],
  ['access-denied', 401, 'internal_error'],
])('the Hasura error %s with status %i gives %s', async (hasuraCode, status, code) => {
  const { call, received } = await clientOf(failure(hasuraCode, status))
  await expect(call('query')).rejects.toMatchObject({ code })
  expect(received()).toBe(1)
})
