import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../local/process/free-port.ts'
import { authorizeUrl, postForm, registerClient } from '../support/oidc/register-client.ts'
import { ISSUER, startTestSignIn, type TestSignIn } from '../support/oidc/start-sign-in.ts'
import { fetchVia, proofFor, Visitor } from '../support/oidc/visitor.ts'
import { START_CACHE } from '../support/start-cache.ts'

let platform: TestSignIn
let service: ChildProcess
let url: string
let log = ''

beforeAll(async () => {
  platform = await startTestSignIn()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  service = spawn(process.execPath, [...START_CACHE, 'oidc/server.ts'], {
    env: {
      ...platform.env,
      PATH: process.env.PATH,
      OIDC_HOST: '127.0.0.1',
      OIDC_PORT: String(port),
      LOG_LEVEL: 'debug',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [service.stdout, service.stderr])
    stream?.on('data', (chunk) => {
      log += chunk
    })
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), 60_000)
})
afterAll(async () => {
  const exit = once(service, 'exit')
  service.kill('SIGTERM')
  await exit
  await platform.stop()
})

test('a secret with a wrong first digit and a secret with a wrong last digit take about the same time to reject', async () => {
  const client = await registerClient(url)
  const digits = client.secret.slice(3)
  const flip = (i: number) =>
    `sk_${digits.slice(0, i)}${digits[i] === '0' ? '1' : '0'}${digits.slice(i + 1)}`
  const [early, registerError] = [flip(0), flip(47)]
  const time = async (secret: string) => {
    const startedAt = performance.now()
    const authorization = `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`
    const { status } = await postForm(
      url,
      '/token',
      { grant_type: 'authorization_code', code: 'x' },
      { authorization },
    )
    expect(status).toBe(401)
    return performance.now() - startedAt
  }
  const samples: [number[], number[]] = [[], []]
  for (let i = 0; i < 60; i++) {
    samples[0].push(await time(early))
    samples[1].push(await time(registerError))
  }
  const [first = 0, second = 0] = samples.map(
    (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)],
  )
  // The server compares hashes, so the position cannot matter. The test fails only if one of the secrets takes twice as long
  // as the other.
  expect(Math.max(first, second) / Math.min(first, second)).toBeLessThan(2)
})

test('the log contains no secret, even at the level debug and when requests fail', async () => {
  const client = await registerClient(url)
  const visitor = new Visitor(url)
  const page = await visitor.begin(authorizeUrl(client))
  const proof = await proofFor(page)
  await visitor.submit(page, { ...proof, proof: `${proof.proof.slice(0, -4)}0000` })
  await visitor.submit(page, { ...proof, csrf: 'forged-token' })
  const { redirect_to } = Object(await (await visitor.submit(page, proof)).json())
  const back = await visitor.request(redirect_to)
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code }
  await postForm(url, '/token', form, { authorization: `${client.basic}x` })
  const { body } = await postForm(url, '/token', form, { authorization: client.basic })
  const [accessToken, idToken] = [String(body.access_token), String(body.id_token)]
  const send = fetchVia(url)
  for (const token of [accessToken, `${accessToken}x`, idToken])
    await send(`${ISSUER}/userinfo`, { headers: { authorization: `Bearer ${token}` } })
  await postForm(url, '/introspect', { token: accessToken }, { authorization: client.basic })
  await send(`${ISSUER}/userinfo?access_token=${accessToken}`)
  await postForm(url, '/token', form, { authorization: client.basic })
  await platform.engine.stop()
  const registerError = await registerClient(url).catch((error: unknown) => String(error))
  expect(registerError).toContain('The client was not registered')
  await platform.db.query('alter table oidc_artifact rename to elsewhere')
  const tokenAnswer = await postForm(url, '/token', form, { authorization: client.basic })
  expect(tokenAnswer).toMatchObject({
    status: 500,
    body: { code: 'internal_error', error: 'server_error' },
  })

  const cookies = [...visitor.cookies.values()]
  const { COOKIE_KEYS, CLIENT_SECRET_PEPPER, SIGNING_KEY_SECRET, DATABASE_URL } = platform.env
  const secrets = [
    client.secret,
    client.basic.slice(6),
    code,
    accessToken,
    idToken,
    page.csrf,
    page.path.slice('/login/'.length),
    proof.proof,
    proof.nullifier_hash,
    ...cookies,
    ...COOKIE_KEYS.split(','),
    CLIENT_SECRET_PEPPER,
    SIGNING_KEY_SECRET,
    DATABASE_URL,
  ]
  await vi.waitFor(() => expect(log.includes('"failed"')).toBe(true), 30_000)
  for (const secret of secrets) {
    expect(secret).not.toBe('')
    expect(log.includes(secret), `the log contains ${secret}`).toBe(false)
  }
})
