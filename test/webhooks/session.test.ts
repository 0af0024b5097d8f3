import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ensurePortal } from '../../portal/build/ensure-portal.ts'
import { startTestPlatform, type TestPlatform } from '../support/webhooks/start-platform.ts'

const ACCOUNT = {
  email: 'ada@example.com',
  password: 'difference',
  name: 'Ada',
  team_name: 'Engine',
}
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' }
const ACCOUNT_QUERY = '{ login { user { email } } }'

let platform: TestPlatform

beforeAll(async () => {
  platform = await startTestPlatform({
    PORTAL_FOLDER: await ensurePortal('.cache'),
    RATE_LIMIT_LOGIN: '1000/60',
  })
  await platform.post('/api/v1/signup', ACCOUNT)
})
afterAll(() => platform.stop())

describe('the session cookie carries the login', () => {
  test('the session cookie contains the login token, and the body of the response does not', async () => {
    const { response, token } = await logIn()
    expect(await response.json()).toEqual({ success: true })
    expect(await account({ authorization: `Bearer ${token}` })).toBe(ACCOUNT.email)
  })

  test('the session cookie is HttpOnly, SameSite=Strict and lasts as long as the login', async () => {
    const { line } = await logIn()
    expect(line).toMatch(/; Path=\/(;|$)/)
    expect(line).toMatch(/; HttpOnly(;|$)/)
    expect(line).toMatch(/; SameSite=Strict(;|$)/)
    expect(line).toMatch(/; Max-Age=86400(;|$)/)
    expect(line).not.toMatch(/Domain/i)
  })

  test('the session cookie is Secure and bound to this host if the platform has HTTPS', async () => {
    const secure = await platform.anotherInstance({ BASE_URL: 'https://portal.example' })
    const { line } = await logIn({}, secure.baseUrl)
    expect(line).toMatch(/^__Host-portal_session=\S+;/)
    expect(line).toMatch(/; Secure(;|$)/)
    await secure.stop()
  })

  test("a new login replaces the session cookie, so that a user does not continue in an attacker's login", async () => {
    const firstLogin = await logIn()
    const { token } = await logIn({ cookie: firstLogin.cookie })
    expect(token).not.toBe(firstLogin.token)
  })

  test('a copied session cookie no longer works after the logout', async () => {
    const { cookie, token } = await logIn()
    expect(await account({ ...OWN_PAGE, cookie })).toBe(ACCOUNT.email)
    const response = await post('/api/v1/session/logout', {}, { ...OWN_PAGE, cookie })
    expect(response.status).toBe(200)
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^portal_session=; .*Expires=Thu, 01 Jan 1970/,
    )
    expect(await account({ ...OWN_PAGE, cookie })).toBeNull()
    expect(await account({ authorization: `Bearer ${token}` })).toBeNull()
  })

  test('a logout succeeds without a session cookie and with a malformed one', async () => {
    for (const cookie of [
      '',
      'portal_session=',
      'portal_session=nonsense',
      'portal_session=a.b.c; portal_session=d',
    ]) {
      const response = await post('/api/v1/session/logout', {}, { ...OWN_PAGE, cookie })
      expect(response.status).toBe(200)
    }
  })
})

describe('another website cannot use the session cookie', () => {
  test.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another port or subdomain', { 'sec-fetch-site': 'same-site' }],
    ['a link or a bookmark', { 'sec-fetch-site': 'none' }],
    ['a page of another site in an old browser', { origin: 'https://attacker.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a client with neither header', {}],
    [
      'a client with both headers',
      { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' },
    ],
  ])('%s can neither log in nor log out nor use the session cookie', async (_who, headers) => {
    const { cookie } = await logIn()
    const paths = ['login', 'signup', 'logout'].map((name) => `/api/v1/session/${name}`)
    for (const path of paths) {
      const response = await post(path, ACCOUNT, { ...headers, cookie })
      expect(response.status).toBe(401)
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect(await account({ ...headers, cookie })).toBeNull()
    // The login still works for the portal.
    expect(await account({ ...OWN_PAGE, cookie })).toBe(ACCOUNT.email)
  })

  test('the Origin header identifies the portal in a browser without Sec-Fetch-Site', async () => {
    const { cookie } = await logIn()
    expect(await account({ origin: platform.baseUrl, cookie })).toBe(ACCOUNT.email)
  })

  test('the header of the portal identifies a GET request without Origin and Sec-Fetch-Site', async () => {
    const { cookie } = await logIn()
    const readSession = (headers: Record<string, string>) =>
      fetch(`${platform.baseUrl}/api/v1/session`, { headers: { cookie, ...headers } })
    expect((await readSession({ 'x-requested-with': 'portal' })).status).toBe(200)
    expect((await readSession({})).status).toBe(401)
    const foreign = { 'x-requested-with': 'portal', 'sec-fetch-site': 'cross-site' }
    expect((await readSession(foreign)).status).toBe(401)
  })

  test('an authorization header takes precedence over the session cookie', async () => {
    const { cookie } = await logIn()
    expect(await account({ ...OWN_PAGE, cookie, authorization: 'Bearer nonsense' })).toBeNull()
  })

  test('another website can send GraphQL requests with its own credentials, but not with the cookie', async () => {
    const preflight = await fetch(`${platform.baseUrl}/v1/graphql`, {
      method: 'OPTIONS',
      headers: { origin: 'https://team.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization')
  })

  test.each([
    ['of this origin acts as the user of the cookie', () => platform.baseUrl, ACCOUNT.email],
    ['of another origin acts as no user', () => 'https://attacker.example', null],
  ])('a WebSocket from a page %s', async (_which, origin, expected) => {
    const { cookie } = await logIn()
    expect(await accountBySocket({ cookie, origin: origin() })).toBe(expected)
  })
})

test('each page has a new nonce, a strict content security policy, and cannot be framed', async () => {
  const [firstPage, secondPage] = [await page('/log-in'), await page('/teams/team_1/audit')]
  const nonces = [firstPage, secondPage].map(
    ({ policy }) => /'nonce-([\w+/=]{24})'/.exec(policy)?.[1],
  )
  expect(new Set(nonces).size).toBe(2)
  for (const [index, { policy, html, response }] of [firstPage, secondPage].entries()) {
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    // The page on which an action is tried connects to the wallet's bridge, the only other host.
    expect(policy.match(/https?:\/\/\S+/g)).toEqual(['https://bridge.worldcoin.org;'])
    expect(html).toContain(`nonce="${nonces[index]}"`)
    expect(html).not.toMatch(/<script(?![^>]* src=")/)
    expect(response.headers.get('cache-control')).toBe('no-store')
  }
})

test('browsers cache the files of the portal for a year, and get them compressed', async () => {
  const { html } = await page('/')
  const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(html) ?? []
  for (const encoding of ['br', 'gzip']) {
    const response = await fetch(platform.baseUrl + script, {
      headers: { 'accept-encoding': encoding },
    })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe('text/javascript')
    await response.bytes()
  }
})

test.each(['/no-such-page', '/Log-In', '/assets/nothing.js', '/assets/../index.html', '/teams'])(
  '%s gets 404',
  async (path) => {
    const response = await fetch(platform.baseUrl + path)
    expect(response.status).toBe(404)
    // The 404 must not be cached, because a later release may add the file.
    expect(response.headers.get('cache-control')).toBe('no-store')
  },
)

async function logIn(headers: Record<string, string> = {}, baseUrl = platform.baseUrl) {
  const response = await fetch(`${baseUrl}/api/v1/session/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...OWN_PAGE, ...headers },
    body: JSON.stringify(ACCOUNT),
  })
  expect(response.status).toBe(200)
  const line = response.headers.getSetCookie().find((text) => /portal_session=/.test(text)) ?? ''
  const [cookie = ''] = line.split(';')
  return { response, line, cookie, token: cookie.slice(cookie.indexOf('=') + 1) }
}

function post(path: string, body: object, headers: Record<string, string>) {
  return fetch(platform.baseUrl + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

/** Sends a GraphQL request with these headers. Returns the user's e-mail address, or null without a valid login. */
async function account(headers: Record<string, string>): Promise<string | null> {
  const response = await post('/v1/graphql', { query: ACCOUNT_QUERY }, headers)
  const { data } = Object(await response.json())
  return data?.login[0]?.user.email ?? null
}

function accountBySocket(headers: Record<string, string>): Promise<string | null> {
  const url = `${platform.baseUrl.replace('http', 'ws')}/v1/graphql`
  const socket = new WebSocket(url, 'graphql-transport-ws', { headers })
  return new Promise((resolve) => {
    socket.once('open', () => socket.send('{"type":"connection_init"}'))
    socket.once('close', () => resolve(null))
    socket.on('message', (data) => {
      const { type, payload } = Object(JSON.parse(String(data)))
      const subscribe = { id: '1', type: 'subscribe', payload: { query: ACCOUNT_QUERY } }
      if (type === 'connection_ack') socket.send(JSON.stringify(subscribe))
      if (type === 'next') resolve(payload.data?.login[0]?.user.email ?? null)
      if (type === 'error') resolve(null)
      if (type === 'next' || type === 'error') socket.terminate()
    })
  })
}

async function page(path: string) {
  const response = await fetch(platform.baseUrl + path)
  const policy = response.headers.get('content-security-policy') ?? ''
  return { response, policy, html: await response.text() }
}
