import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { startBrowser } from '../../support/chromium.ts'
import { ownsEngine } from '../../support/hasura/given-hasura.ts'
import { millisToMiddleOfHour } from '../../support/middle-of-an-hour.ts'
import { PASSWORD, press as send } from '../../support/webhooks/mailboxes.ts'
import { someoneWaits } from '../../support/webhooks/people.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import { smtpServer, tokenIn } from '../../support/webhooks/smtp-server.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let smtp: ReturnType<typeof smtpServer>
let browser: Browser
let people = 0

beforeAll(async () => {
  smtp = smtpServer(await freePort())
  await smtp.start()
  platform = await startTestPlatform({ SMTP_URL: smtp.url })
  browser = await startBrowser()
})
afterAll(async () => {
  await browser?.close()
  await platform.stop()
  await smtp.stop()
})

describe('a verification link opens a page', () => {
  test.each(['light', 'dark'] as const)(
    'a user verifies the address in two steps in a %s browser',
    async (scheme) => {
      const { email, link } = await signup()
      const page = await browser.newPage({
        colorScheme: scheme,
        viewport: { width: 360, height: 640 },
      })
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.goto(link)
      expect(await page.title()).toBe('Verify your e-mail address')
      expect(await isVerified(email), 'opening the link changes nothing').toBe(false)
      const styleScript = `[
      getComputedStyle(document.querySelector('button')).backgroundColor,
      document.documentElement.scrollWidth <= innerWidth,
    ]`
      const accent = scheme === 'light' ? 'rgb(81, 81, 205)' : 'rgb(91, 91, 214)'
      expect(await page.evaluate(styleScript)).toEqual([accent, true])
      await page.getByLabel('Password', { exact: true }).fill('difference')
      await page.getByRole('button', { name: 'Verify my address' }).press('Enter')
      await page.getByRole('heading', { name: 'Your address is verified' }).waitFor()
      expect(page.url()).not.toContain('token')
      expect(await isVerified(email)).toBe(true)
      expect(complaints).toEqual([])
      await page.close()
    },
  )
})

describe('a verification link works once, for the owner of the mailbox', () => {
  test('a verification link works once in six simultaneous requests', async () => {
    const { link } = await signup()
    const statuses = await Promise.all(Array.from({ length: 6 }, () => press(link)))
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400])
  })

  test('a verification link gives the account to the owner of the mailbox, not to the person who signed up', async () => {
    const { email, link, token } = await signup()
    const asAttacker = { authorization: `Bearer ${token}` }
    const self = () => platform.post('/v1/graphql', { query: '{ user { id } }' }, asAttacker)
    expect((await self()).status).toBe(200)
    expect((await press(link, { password: 'guess-guess' })).text).toContain('not the password')
    expect((await press(link, { new_password: 'short' })).text).toContain('8 to 200 characters')
    expect((await press(link, {})).status).toBe(400)
    expect(await isVerified(email)).toBe(false)
    expect((await press(link, { new_password: 'mine-alone' })).status).toBe(200)
    expect(await isVerified(email)).toBe(true)
    expect((await self()).status, "the attacker's login has ended").toBe(401)
    const login = (password: string) => platform.post('/api/v1/login', { email, password })
    expect((await login('difference')).body).toMatchObject({ code: 'invalid_credentials' })
    expect((await login('mine-alone')).status).toBe(200)
  })

  test('a verification link keeps the logins if the password is entered', async () => {
    const { link, token } = await signup()
    await press(link)
    const { body } = await platform.post('/hasura/auth', {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(body).toMatchObject({ 'x-hasura-role': 'user' })
  })

  test('a verification link stops working while the account is being deleted', async () => {
    const { email, link } = await signup()
    await platform.db.query('begin')
    const { rows } = await platform.db.query('select id from "user" where email = $1 for update', [
      email,
    ])
    const reply = press(link)
    await someoneWaits(platform, 'open_account')
    await platform.db.query('select from delete_account($1)', [rows[0].id])
    await platform.db.query('commit')
    expect((await reply).status).toBe(400)
  })

  test('an expired verification link gets 400, and does not verify the address', async () => {
    const { email, link } = await signup()
    await platform.db.query(
      `update account_link set expires_at = now() from "user"
      where "user".id = user_id and "user".email = $1`,
      [email],
    )
    const { status, text } = await press(link)
    expect([status, text.includes('This link no longer works')]).toEqual([400, true])
    expect(await isVerified(email)).toBe(false)
  })

  test.each([
    ['a guessed token', 'A'.repeat(43)],
    ['an empty token', ''],
    ['a truncated token', 'A'.repeat(42)],
    ['HTML instead of a token', '"><script>alert(1)</script>'],
  ])('a verification link with %s gets a page with status 400', async (_name, token) => {
    const link = `${platform.baseUrl}/api/v1/verify-email?token=${encodeURIComponent(token)}`
    const { status, text } = await press(link)
    expect(status).toBe(400)
    expect(text).toMatch(/^<!doctype html>/)
    const page = await fetch(link)
    expect(await page.text()).not.toContain('<script>')
  })

  test('the page of a verification link allows no scripts and no requests to other origins, and is not cached', async () => {
    const { headers } = await fetch(
      `${platform.baseUrl}/api/v1/verify-email?token=${'A'.repeat(43)}`,
    )
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })
})

describe.runIf(ownsEngine)('a verification link that fails gets a page or JSON', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  let brokenPlatform: TestPlatform

  beforeAll(async () => {
    brokenPlatform = await startTestPlatform({ RATE_LIMIT_VERIFY_EMAIL: '2/3600' })
    brokenPlatform.clock.aheadMs = millisToMiddleOfHour()
    await brokenPlatform.engine.stop()
  })
  afterAll(() => brokenPlatform.stop())

  const answerTo = (method: string, accept: string) => {
    const url = `${brokenPlatform.baseUrl}/api/v1/verify-email`
    const token = new URLSearchParams({ token: 'A'.repeat(43) })
    if (method === 'GET') return fetch(`${url}?${token}`, { headers: { accept } })
    return fetch(url, { method, headers: { accept }, body: token })
  }

  test.each([
    ['a link while the engine is down', 503, 'POST', BROWSER, /^text\/html/, 'That did not work'],
    [
      'a link while the engine is down',
      503,
      'POST',
      'application/json',
      /^application\/json/,
      'unavailable',
    ],
    ['a link after too many attempts', 429, 'GET', BROWSER, /^text\/html/, 'Too many attempts'],
    ['a link after too many attempts', 429, 'POST', BROWSER, /^text\/html/, 'Too many attempts'],
    [
      'a link after too many attempts',
      429,
      'POST',
      'application/json',
      /^application\/json/,
      'rate_limited',
    ],
  ])('%s gets %i for %s with accept %s', async (_what, status, method, accept, type, words) => {
    const answer = await answerTo(method, accept)
    expect(answer.status).toBe(status)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answer.headers.get('content-type')).toMatch(type)
    expect(await answer.text()).toContain(words)
  })
})

async function signup() {
  const email = `person-${++people}@example.com`
  const body = { email, password: 'difference', name: 'Person', team_name: 'Team' }
  const { body: signupBody } = await platform.post('/api/v1/signup', body)
  await platform.post('/api/_mail', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
  const mail = smtp.received.find(({ to }) => to.includes(email))
  const mailedToken = mail ? tokenIn(mail) : ''
  const link = `${platform.baseUrl}/api/v1/verify-email?token=${mailedToken}`
  return { email, link, token: String(Object(signupBody).token) }
}

function press(link: string, fields: Parameters<typeof send>[1] = { password: PASSWORD }) {
  return send(link, fields)
}

async function isVerified(email: string): Promise<boolean> {
  const { rows } = await platform.db.query(
    'select email_verified_at is not null as verified from "user" where email = $1',
    [email],
  )
  return rows[0].verified
}
