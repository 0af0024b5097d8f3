import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { decodeProtectedHeader } from 'jose'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeSigningKey } from '../../lib/runtime/secrets/key-pair.ts'
import { createSignInApp } from '../../oidc/app.ts'
import {
  authorizeUrl,
  postForm,
  registerClient,
  type TestClient,
} from '../support/oidc/register-client.ts'
import {
  ISSUER,
  SIGNING_KEY_SECRET,
  startTestSignIn,
  type TestSignIn,
} from '../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../support/oidc/visitor.ts'

let platform: TestSignIn
let client: TestClient

beforeAll(async () => {
  platform = await startTestSignIn()
  client = await registerClient(platform.url)
})
afterAll(() => platform.stop())

const codeIn = (response: Response) =>
  new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''

const redeem = (url: string, code: string) =>
  postForm(
    url,
    '/token',
    { grant_type: 'authorization_code', code },
    { authorization: client.basic },
  )

async function userinfo(url: string, token: unknown) {
  const response = await fetchVia(url)(`${ISSUER}/userinfo`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return response.status
}

test('sign-ins succeed when two instances answer alternate requests', async () => {
  const second = await platform.startAnother()
  let turn = 0
  const next = () => (turn++ % 2 ? platform.url : second.url)
  for (let i = 0; i < 4; i++) {
    const back = await new Visitor(next).signIn(authorizeUrl(client))
    const { status, body } = await redeem(next(), codeIn(back))
    expect(status).toBe(200)
    expect(await userinfo(next(), body.access_token)).toBe(200)
    // With an odd number of requests, the next sign-in begins at the other instance.
    if (turn % 2 === i % 2) next()
  }
})

describe('instances with clocks 15 s apart accept codes and tokens of each other', () => {
  test.each([
    ['ahead', 15_000],
    ['behind', -15_000],
  ])(
    'an instance with a clock 15 s %s redeems a code of another instance',
    async (_name, aheadMs) => {
      const instance = await platform.startAnother()
      const realNow = Date.now
      const back = await new Visitor(platform.url).signIn(authorizeUrl(client))
      // Both instances run in this process, so the clock is changed while the other instance responds.
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + aheadMs)
      try {
        const { status, body } = await redeem(instance.url, codeIn(back))
        expect(status).toBe(200)
        clock.mockRestore()
        expect(await userinfo(platform.url, body.access_token)).toBe(200)
      } finally {
        clock.mockRestore()
      }
    },
  )
})

test('a change of signing keys interrupts no sign-in and invalidates no token before its key expires', async () => {
  const { services } = platform.first
  const before = await signIn()
  const visitor = new Visitor(platform.url)
  const page = await visitor.begin(authorizeUrl(client))
  const key = await makeSigningKey('RS256', [SIGNING_KEY_SECRET])
  await platform.db.query(
    "insert into jwks (id, use, public_jwk, private_jwk_encrypted, expires_at) values ($1, 'sign-in', $2, $3, now() + interval '1 year')",
    [key.id, key.public_jwk, key.private_jwk_encrypted],
  )
  await services.refreshKeys()
  // The new key is published but does not sign yet: relying parties may cache the old keys for five minutes.
  expect((await jwks()).keys).toHaveLength(2)
  const { redirect_to } = Object(await (await visitor.prove(page)).json())
  const during = await redeem(platform.url, codeIn(await visitor.request(redirect_to)))
  expect(during.status).toBe(200)
  expect(kidOf(during.body)).toBe(kidOf(before.body))

  const visitor2 = new Visitor(platform.url)
  const page2 = await visitor2.begin(authorizeUrl(client))
  await platform.db.query(
    "update jwks set created_at = now() - interval '7 minutes' where id = $1",
    [key.id],
  )
  await services.refreshKeys()
  const answer2 = Object(await (await visitor2.prove(page2)).json())
  const after = await redeem(platform.url, codeIn(await visitor2.request(answer2.redirect_to)))
  expect(kidOf(after.body)).toBe(key.id)
  for (const { body } of [before, during, after])
    expect(await userinfo(platform.url, body.access_token)).toBe(200)

  await platform.db.query(
    "update jwks set expires_at = now() - interval '1 second' where use = 'sign-in' and id <> $1",
    [key.id],
  )
  await services.refreshKeys()
  expect((await jwks()).keys).toMatchObject([{ kid: key.id }])
  expect(await userinfo(platform.url, before.body.access_token)).toBe(401)
  expect(await userinfo(platform.url, after.body.access_token)).toBe(200)

  // When the newest key is about to expire, the server makes one more key, once.
  await platform.db.query("update jwks set expires_at = now() + interval '1 day' where id = $1", [
    key.id,
  ])
  await services.refreshKeys()
  await services.refreshKeys()
  expect((await jwks()).keys.map(({ kid }: { kid: string }) => kid)).toEqual([
    key.id,
    expect.stringMatching(/^jwk_/),
  ])
})

describe('while the database is unavailable, the server reports it, and recovers afterwards', () => {
  test('while the database is unavailable, /login, /token, /userinfo and /readyz answer 503, and a sign-in in progress can be completed afterwards', async () => {
    const visitor = new Visitor(platform.url)
    const page = await visitor.begin(authorizeUrl(client))
    const { body } = await signIn()
    await setReachable(false)
    try {
      const answer = await visitor.prove(page)
      expect(answer.status).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(await answer.json()).toMatchObject({
        code: 'unavailable',
        error: 'temporarily_unavailable',
        detail: 'A part of the service is unavailable: try again shortly.',
      })
      const response = await visitor.request(page.path)
      expect(response.status).toBe(503)
      const id = response.headers.get('x-request-id')
      expect(await response.text()).toContain(`Request id: ${id}`)
      expect(await redeem(platform.url, 'some-code')).toMatchObject({
        status: 503,
        body: { code: 'unavailable', error: 'temporarily_unavailable' },
      })
      expect(await userinfo(platform.url, body.access_token)).toBe(503)
      expect((await fetch(`${platform.url}/readyz`)).status).toBe(503)
      expect((await fetch(`${platform.url}/healthz`)).status).toBe(200)
      const authorizeAnswer = await fetchVia(platform.url)(authorizeUrl(client))
      expect(authorizeAnswer.status).toBeOneOf([303, 503])
      expect(authorizeAnswer.headers.get('location') ?? 'error=temporarily_unavailable').toContain(
        'error=temporarily_unavailable',
      )
    } finally {
      await setReachable(true)
    }
    await vi.waitFor(async () => expect((await fetch(`${platform.url}/readyz`)).status).toBe(200), {
      timeout: 30_000,
    })
    const { redirect_to } = Object(await (await visitor.prove(page)).json())
    const { status } = await redeem(platform.url, codeIn(await visitor.request(redirect_to)))
    expect(status).toBe(200)
    expect(await userinfo(platform.url, body.access_token)).toBe(200)
  })

  /** Imitates a restart: closes all connections, and rejects new connections. */
  async function setReachable(isReachable: boolean) {
    const { rows } = await platform.db.query('select current_database() as name')
    const [name] = rows.map((row) => row.name)
    await platform.db.onCluster(`alter database ${name} with allow_connections ${isReachable}`)
    if (!isReachable)
      await platform.db.onCluster(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name <> 'test'`,
      )
  }
})

test('a request that waits too long for a database lock gets 503', async () => {
  const { body } = await signIn()
  await platform.db.query('begin; lock table oidc_artifact in access exclusive mode')
  const status = await userinfo(platform.url, body.access_token)
  await platform.db.query('rollback')
  expect(status).toBe(503)
  expect(await userinfo(platform.url, body.access_token)).toBe(200)
})

test('a client that disconnects in the middle of a request is logged as 499', async () => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) })
  const server = createServer(createSignInApp({ ...platform.first.services, log })).listen(
    0,
    '127.0.0.1',
  )
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const socket = connect(Number(Object(server.address()).port), '127.0.0.1')
  socket.write('POST /register HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{')
  await once(server, 'request')
  socket.destroy()
  await expect.poll(() => lines).not.toEqual([])
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ msg: 'answered', status: 499, code: 'invalid_request' }),
  ])
})

test('while the chain is unavailable, a proof gets 503 and can be sent again later', async () => {
  const rp = await registerClient(platform.url)
  const isolated = await platform.startAnother({ env: { CHAIN_RPC_URL: 'http://127.0.0.1:9' } })
  const visitor = new Visitor(() => url)
  let url = platform.url
  const page = await visitor.begin(authorizeUrl(rp))
  url = isolated.url
  const answer = await visitor.prove(page)
  expect([answer.status, Object(await answer.json()).code]).toEqual([503, 'unavailable'])
  url = platform.url
  expect((await visitor.prove(page)).status).toBe(200)
})

test('deleteExpired deletes only rows that expired at least 20 seconds ago', async () => {
  const insert = (id: string, seconds: number) =>
    platform.db.query(
      "insert into oidc_artifact (model, id, payload, expires_at) values ('Test', sha256($1::bytea), '{}', now() + make_interval(secs => $2))",
      [id, seconds],
    )
  await insert('old', -60)
  await insert('just now', -10)
  await insert('later', 60)
  await Promise.all([
    platform.first.services.deleteExpired(),
    platform.first.services.deleteExpired(),
  ])
  const { rows } = await platform.db.query(
    "select count(*)::int as n from oidc_artifact where model = 'Test'",
  )
  expect(rows).toEqual([{ n: 2 }])
})

async function signIn() {
  const back = await new Visitor(platform.url).signIn(authorizeUrl(client))
  return redeem(platform.url, codeIn(back))
}

async function jwks() {
  return Object(await (await fetchVia(platform.url)(`${ISSUER}/jwks`)).json())
}

function kidOf(body: Record<string, unknown>) {
  return decodeProtectedHeader(String(body.id_token)).kid
}
