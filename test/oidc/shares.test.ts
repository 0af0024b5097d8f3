import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEngine } from '../../packages/engine/test/support/start-engine.ts'
import { postForm, registerClient, type TestClient } from '../support/oidc/register-client.ts'
import { startSignInOn, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { basic, createTokenCalls } from '../support/oidc/token-calls.ts'

let platform: TestSignIn
let client: TestClient

beforeAll(async () => {
  platform = await startSignInOn(startEngine, { TRUSTED_PROXY_HOPS: '1', DATABASE_POOL_SIZE: '4' })
  client = await registerClient(platform.url)
})
afterAll(() => platform.stop())

const { redeem, introspect } = createTokenCalls(() => ({ url: platform.url, client }))

const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)

let guesses = 0

function guess(address: string) {
  guesses += 1
  return { ...basic(client.id, `sk_${guesses}`), 'x-forwarded-for': address }
}

test('a flood of wrong secrets gets 429, and a client that was accepted before is still served', async () => {
  const address = '192.0.2.1'
  const headers = { authorization: client.basic, 'x-forwarded-for': address }
  expect((await redeem({ code: 'none' }, headers)).body.code).toBe('invalid_grant')
  for (let n = 0; n < 25; n++)
    expect((await redeem({ code: 'x' }, guess(address))).status).toBe(401)
  const answers: Awaited<ReturnType<typeof redeem>>[] = []
  // A fast machine answers the first waves without 429.
  const flood = async () => {
    while (!statuses(answers).includes(429)) answers.push(...(await Promise.all(wave(address))))
  }
  const flooding = flood()
  for (let n = 0; n < 10; n++)
    expect((await redeem({ code: 'none' }, headers)).body.code).toBe('invalid_grant')
  await flooding
  expect(new Set(statuses(answers))).toEqual(new Set([401, 429]))
  const rejection = answers.find(({ status }) => status === 429)
  expect(rejection?.body).toMatchObject({ code: 'rate_limited', error: 'temporarily_unavailable' })
  expect(Number(rejection?.headers.get('retry-after'))).toBeGreaterThan(0)
})

/** Sends 400 requests at once, each with another wrong secret. */
function wave(address: string) {
  return [
    ...Array.from({ length: 200 }, () => redeem({ code: 'x' }, guess(address))),
    ...Array.from({ length: 200 }, () =>
      postForm(platform.url, '/introspect', { token: 'x' }, guess(address)),
    ),
  ]
}

test('a caller that disconnects before its request is read occupies no turn', async () => {
  const address = '192.0.2.9'
  for (let n = 0; n < 25; n++)
    expect((await redeem({ code: 'x' }, guess(address))).status).toBe(401)
  for (let n = 0; n < 5; n++) await sendAndLeave(address)
  expect((await redeem({ code: 'x' }, guess(address))).status).toBe(401)
})

/** Sends a compressed body, and closes the connection before the server has inflated it. */
async function sendAndLeave(address: string) {
  const { hostname, port } = new URL(platform.url)
  const body = gzipSync(`grant_type=authorization_code&code=x&padding=${'x'.repeat(30_000)}`)
  const headers = {
    host: hostname,
    ...guess(address),
    'content-type': 'application/x-www-form-urlencoded',
    'content-encoding': 'gzip',
    'content-length': String(body.length),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`POST /token HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(body, () => socket.resetAndDestroy())
  await once(socket, 'close')
  await sleep(50)
}

test('introspections of inactive tokens do not count as wrong secrets', async () => {
  for (let n = 0; n < 60; n++) expect((await introspect('hello')).body.code).toBe('invalid_token')
  expect(
    new Set(statuses(await Promise.all(Array.from({ length: 12 }, () => introspect('x'))))),
  ).toEqual(new Set([200]))
})

test('100 simultaneous introspections of a client wait for their turn and succeed', async () => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => introspect('hello')))
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['invalid_token']))
})

test('a client that introspects without pause gets 429, and another client is served', async () => {
  const otherClient = await registerClient(platform.url)
  let isOver = false
  const introspectUntilOver = async () => {
    const received: number[] = []
    while (!isOver) received.push((await introspect('hello')).status)
    return received
  }
  const floods = Array.from({ length: 300 }, introspectUntilOver)
  for (let n = 0; n < 5; n++)
    expect((await introspect('hello', otherClient)).body.code).toBe('invalid_token')
  isOver = true
  expect((await Promise.all(floods)).flat()).toContain(429)
})
