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

describe('the cookie', () => {
  test('has the token, which is in no answer that a script could read', async () => {
    const { response, token } = await logIn()
    expect(await response.json()).toEqual({ success: true })
    expect(await account({ authorization: `Bearer ${token}` })).toBe(ACCOUNT.email)
  })

  test('is for no script, no other website and no longer than the login', async () => {
    const { line } = await logIn()
    expect(line).toMatch(/; Path=\/(;|$)/)
    expect(line).toMatch(/; HttpOnly(;|$)/)
    expect(line).toMatch(/; SameSite=Strict(;|$)/)
    expect(line).toMatch(/; Max-Age=86400(;|$)/)
    expect(line).not.toMatch(/Domain/i)
  })

  test('is for HTTPS and this host alone where the platform has HTTPS', async () => {
    const secure = await platform.anotherInstance({ BASE_URL: 'https://portal.example' })
    const { line } = await logIn({}, secure.baseUrl)
    expect(line).toMatch(/^__Host-portal_session=\S+;/)
    expect(line).toMatch(/; Secure(;|$)/)
    await secure.stop()
  })

  test('is replaced by a new login, so that nobody goes on in one that another person gave them', async () => {
    const before = await logIn()
    const { token } = await logIn({ cookie: before.cookie })
    expect(token).not.toBe(before.token)
  })

  test('is worth nothing after log-out, to whoever copied it', async () => {
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

  test('is no hindrance to logging out without one, or with nonsense', async () => {
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

describe('another website', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port or subdomain', { 'sec-fetch-site': 'same-site' }],
    ['a link or a bookmark', { 'sec-fetch-site': 'none' }],
    ['another site in an old browser', { origin: 'https://attacker.example' }],
    ['a sandboxed page', { origin: 'null' }],
    ['a client that says nothing', {}],
    ['one that says both', { 'sec-fetch-site': 'cross-site', origin: 'http://localhost:3000' }],
  ])('%s logs nobody in or out, and acts as nobody', async (_who, headers) => {
    const { cookie } = await logIn()
    const paths = ['login', 'signup', 'logout'].map((name) => `/api/v1/session/${name}`)
    for (const path of paths) {
      const response = await post(path, ACCOUNT, { ...headers, cookie })
      expect(response.status).toBe(401)
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect(await account({ ...headers, cookie })).toBeNull()
    // The login is still there for its own page.
    expect(await account({ ...OWN_PAGE, cookie })).toBe(ACCOUNT.email)
  })

  test('a page of this origin in a browser without Sec-Fetch-Site is known by its Origin', async () => {
    const { cookie } = await logIn()
    expect(await account({ origin: platform.baseUrl, cookie })).toBe(ACCOUNT.email)
  })

  test('its own credentials win over the cookie', async () => {
    const { cookie } = await logIn()
    expect(await account({ ...OWN_PAGE, cookie, authorization: 'Bearer nonsense' })).toBeNull()
  })

  test('may ask with credentials of its own, and never with the cookie', async () => {
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
    ['of this origin', () => platform.baseUrl, ACCOUNT.email],
    ['of another', () => 'https://attacker.example', null],
  ])('a WebSocket from a page %s acts as whom it should', async (_which, origin, expected) => {
    const { cookie } = await logIn()
    expect(await accountBySocket({ cookie, origin: origin() })).toBe(expected)
  })
})

test('the page is new each time, strict about what runs in it, and shown in no frame', async () => {
  const [one, other] = [await page('/log-in'), await page('/teams/team_1/audit')]
  const nonces = [one, other].map(({ policy }) => /'nonce-([\w+/=]{24})'/.exec(policy)?.[1])
  expect(new Set(nonces).size).toBe(2)
  for (const [index, { policy, html, response }] of [one, other].entries()) {
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    // To the wallet's bridge, from the page on which an action is tried; else to nobody.
    expect(policy.match(/https?:\/\/\S+/g)).toEqual(['https://bridge.worldcoin.org;'])
    expect(html).toContain(`nonce="${nonces[index]}"`)
    expect(html).not.toMatch(/<script(?![^>]* src=")/)
    expect(response.headers.get('cache-control')).toBe('no-store')
  }
})

test('its files are kept by browsers for ever, and sent as small as they accept', async () => {
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
  'there is nothing at %s',
  async (path) => {
    const response = await fetch(platform.baseUrl + path)
    expect(response.status).toBe(404)
    // What is not there yet may be there soon.
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

/** Whose login a GraphQL request is made with; null for nobody's. */
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
