import { createServer } from 'node:http'
import { afterAll, describe, expect } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { startBrowser } from '../../support/chromium.ts'
import { client, platform, setTheScene } from '../../support/oidc/authorize-scene.ts'
import { authorizeUrl, postForm } from '../../support/oidc/register-client.ts'
import { test } from '../../support/oidc/sign-in-test.ts'
import { startTestSignIn } from '../../support/oidc/start-sign-in.ts'
import { fetchVia, Visitor } from '../../support/oidc/visitor.ts'

// OpenID Connect Core 3.1.2.1: a website may send its request as a form if the operator allows it.

setTheScene()

let allowing: string

test.beforeAll(async () => {
  allowing = (await platform.startAnother({ env: { AUTHORIZE_BY_POST: 'true' } })).url
})

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const fieldsOf = (changes: Record<string, string> = {}) =>
  Object.fromEntries(new URL(authorizeUrl(client, changes)).searchParams)

async function post(url: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetchVia(url)(`${url}/authorize`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const form = (changes: Record<string, string> = {}) =>
  String(new URLSearchParams(fieldsOf(changes)))

describe('without AUTHORIZE_BY_POST, POST /authorize is rejected', () => {
  test('a browser that posts gets 405 and an error page', async () => {
    const { status, headers, text } = await post(platform.url, form(), BROWSER)
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('GET, HEAD')
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(text).toContain('Go back, and tell the people who run the app.')
    expect(text).toContain('This path does not support POST: use GET or HEAD.')
  })

  test('a program that posts gets 405 and JSON', async () => {
    const answer = await postForm(platform.url, '/authorize', fieldsOf())
    expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } })
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
  })
})

describe('with AUTHORIZE_BY_POST, POST /authorize begins a sign-in', () => {
  test('a form begins a sign-in, and the posted state is kept', async () => {
    const visitor = new Visitor(allowing)
    const answer = await visitor.request('/authorize', {
      method: 'POST',
      body: new URLSearchParams(fieldsOf({ state: 'posted & kept' })),
    })
    const path = answer.headers.get('location') ?? ''
    expect([answer.status, path]).toEqual([303, expect.stringMatching(/^\/login\//)])
    const page = await visitor.request(path)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('state=posted+%26+kept')
  })

  test.each([
    ['a missing field', () => form({ scope: '' }), 400, 'scope is required.'],
    ['an unknown client', () => form({ client_id: 'app_none' }), 400, 'There is no such client.'],
    ['a field that was sent twice', () => `${form()}&client_id=x`, 400, 'sent more than once'],
    ['a form of 8 KiB', () => form({ state: 'x'.repeat(8_192) }), 413, 'too large'],
  ])('a browser gets an error page for %s', async (_name, body, status, words) => {
    const answer = await post(allowing, body(), BROWSER)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.text).toContain(words)
  })

  test('a body that is not a form is rejected', async () => {
    const json = { 'content-type': 'application/json' }
    const { status, text } = await post(allowing, '{}', json)
    expect([status, JSON.parse(text).code]).toEqual([400, 'invalid_content_type'])
  })

  test('the query of a POST is ignored', async () => {
    const { search } = new URL(authorizeUrl(client))
    const answer = await postForm(allowing, `/authorize${search}`, {})
    expect(answer).toMatchObject({ status: 400, body: { code: 'required' } })
  })

  test('GET /authorize still begins a sign-in', async () => {
    expect((await fetchVia(allowing)(authorizeUrl(client))).status).toBe(303)
  })
})

describe('in Chromium, a form of another site begins a sign-in', () => {
  const stops: (() => Promise<unknown>)[] = []
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  test('a form that a page of another site posts opens the sign-in page', async () => {
    const authUrl = `http://localhost:${await freePort()}`
    const server = await startTestSignIn({ AUTH_URL: authUrl, AUTHORIZE_BY_POST: 'true' })
    stops.push(() => server.stop())
    const website = await serveForm(authUrl)
    const browser = await startBrowser()
    stops.push(() => browser.close())
    const page = await browser.newPage()
    await page.goto(website)
    await page.getByRole('button').click()
    await page.waitForURL(`${authUrl}/login/*`)
    await page.getByRole('heading', { name: /^Sign in to .*Relying party/ }).waitFor()
  })

  /** Starts a website on another host than the sign-in server, with a form that begins a sign-in. */
  async function serveForm(authUrl: string): Promise<string> {
    const inputs = Object.entries({ ...fieldsOf(), client_id: await registerAt(authUrl) })
    const fields = inputs.map(([name, value]) => `<input name="${name}" value="${value}">`)
    const html = `<form method="post" action="${authUrl}/authorize">${fields.join('')}<button>Sign in</button></form>`
    const web = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(html)
    })
    const port = await freePort()
    await new Promise<void>((resolve) => web.listen(port, '127.0.0.1', resolve))
    stops.push(() => new Promise((resolve) => web.close(resolve)))
    return `http://127.0.0.1:${port}`
  }
})

async function registerAt(authUrl: string): Promise<string> {
  const response = await fetch(`${authUrl}/register`, {
    method: 'POST',
    body: JSON.stringify({
      client_name: 'Relying party',
      redirect_uris: [fieldsOf().redirect_uri],
      grant_types: 'hybrid',
    }),
  })
  return Object(await response.json()).client_id
}
