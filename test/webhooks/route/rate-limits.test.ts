import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { formatApiKey } from '../../../webhooks/credentials/api-key.ts'
import { millisToMiddleOfHour } from '../../support/middle-of-an-hour.ts'
import {
  post,
  startTestPlatform,
  type TestPlatform,
} from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let otherInstance: Awaited<ReturnType<TestPlatform['anotherInstance']>>
let callers = 0

const LIMIT = 20

beforeAll(async () => {
  platform = await startTestPlatform({
    TRUSTED_PROXY_HOPS: '1',
    RATE_LIMIT_PRECHECK_ACTION: `${LIMIT}/3600`,
    RATE_LIMIT_SIGNUP: '3/3600',
  })
  otherInstance = await platform.anotherInstance()
})
afterAll(async () => {
  await otherInstance.stop()
  await platform.stop()
})
beforeEach(() => {
  platform.clock.aheadMs = millisToMiddleOfHour()
})

describe('a caller above the limit gets 429', () => {
  test('a response has the remaining requests of the caller, and a 429 has the seconds to wait', async () => {
    const from = caller()
    const first = await ask(from)
    expect(first.headers.get('ratelimit-policy')).toMatch(
      /^"precheck-action"; q=20; w=3600; pk=:[\w+/]{16}:$/,
    )
    expect(first.headers.get('ratelimit')).toMatch(/^"precheck-action"; r=19; t=\d+$/)
    expect(first.headers.get('retry-after')).toBeNull()
    for (let i = 1; i < LIMIT; i++) expect((await ask(from)).status).not.toBe(429)
    const rejection = await ask(from)
    expect(rejection).toMatchObject({
      status: 429,
      body: { code: 'rate_limited', attribute: null },
    })
    const wait = Number(rejection.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(1_700)
    expect(wait).toBeLessThanOrEqual(1_800)
    expect(rejection.headers.get('ratelimit')).toMatch(/r=0;/)
  })

  test('a limit applies only to one caller, and ends with its time window', async () => {
    const from = caller()
    await exhaust(from)
    expect((await ask(caller())).status).not.toBe(429)
    platform.clock.aheadMs += 1_800_000
    expect((await ask(from)).status).not.toBe(429)
  })

  test('a caller that goes on after a 429 waits longer for each response, and other callers do not', async () => {
    const from = caller()
    await exhaust(from)
    const startMs = performance.now()
    const rejections = await Promise.all(Array.from({ length: 40 }, () => ask(from)))
    expect(performance.now() - startMs).toBeGreaterThan(1_000)
    expect(rejections.map(({ status }) => status)).toEqual(rejections.map(() => 429))
    const first = () =>
      Promise.race([
        ask(from).then(() => 'the same caller'),
        ask(caller()).then(() => 'another caller'),
      ])
    // Polls, because a busy machine may delay the other caller for longer than the penalty delays the first.
    await expect.poll(first).toBe('another caller')
  })

  test('a caller cannot forge the address of another caller', async () => {
    const from = caller()
    await exhaust(from)
    expect((await ask(`203.0.113.9, ${from}`)).status).toBe(429)
  })

  test('the addresses of one IPv6 /56 network count as one caller', async () => {
    for (let i = 0; i < LIMIT; i++) await ask(`2001:db8:0:${i}::${i}`)
    expect((await ask('2001:db8:0:ff::1')).status).toBe(429)
    expect((await ask('2001:db8:1::1')).status).not.toBe(429)
  })

  test('IPv6 addresses that differ only in their zone count as one caller', async () => {
    for (let i = 0; i < LIMIT; i++) expect((await ask(`fe80::1%eth0.${i}-a`)).status).toBe(400)
    expect((await ask('fe80::1%b')).status).toBe(429)
  })
})

describe('instances with one database share their counts', () => {
  test('two instances with one database count a caller together', async () => {
    const from = caller()
    for (let i = 0; i < LIMIT / 2; i++) {
      await ask(from)
      await ask(from, otherInstance.baseUrl)
    }
    const expectRejection = (url: string) => async () =>
      expect((await ask(from, url)).status).toBe(429)
    await vi.waitFor(expectRejection(platform.baseUrl), 30_000)
    await vi.waitFor(expectRejection(otherInstance.baseUrl), 30_000)
  })

  test('two instances together admit at most twice the limit, however fast a caller is', async () => {
    const from = caller()
    const urls = [platform.baseUrl, otherInstance.baseUrl].flatMap((url) =>
      Array<string>(60).fill(url),
    )
    const replies = await Promise.all(urls.map((url) => ask(from, url)))
    const admittedCount = replies.filter(({ status }) => status !== 429).length
    expect(admittedCount).toBeGreaterThanOrEqual(LIMIT)
    expect(admittedCount).toBeLessThanOrEqual(2 * LIMIT)
  })

  test('a new instance uses the counts from before its start', async () => {
    const from = caller()
    await exhaust(from)
    await vi.waitFor(async () => {
      const { rows } = await platform.db.query('select hits from rate_limit where key = $1', [
        `precheck-action:${from}`,
      ])
      expect(rows[0]?.hits).toBeGreaterThan(LIMIT)
    }, 30_000)
    const third = await platform.anotherInstance()
    await vi.waitFor(async () => expect((await ask(from, third.baseUrl)).status).toBe(429), 30_000)
    await third.stop()
  })
})

test('the limit holds while the database is down, and the counts are stored afterwards', async () => {
  const from = caller()
  const name = new URL(platform.db.url).pathname.slice(1)
  await platform.db.onCluster(`alter database ${name} allow_connections false`)
  await platform.db.onCluster(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name <> 'test'`,
  )
  await exhaust(from)
  await platform.db.onCluster(`alter database ${name} allow_connections true`)
  await vi.waitFor(async () => expect((await ask(from, otherInstance.baseUrl)).status).toBe(429), {
    timeout: 30_000,
    interval: 200,
  })
})

test('a malformed signup does not count against the limit of signups', async () => {
  const headers = { 'x-forwarded-for': caller() }
  const account = { email: 'mistyped', password: 'difference', name: 'Ada', team_name: 'Engine' }
  for (let i = 0; i < 7; i++)
    expect((await platform.post('/api/v1/signup', account, headers)).status).toBe(400)
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) {
    const body = { ...account, email: `mistyped-${i}@example.com` }
    statuses.push((await platform.post('/api/v1/signup', body, headers)).status)
  }
  expect(statuses).toEqual([201, 201, 201, 429])
})

describe('limited routes reject requests above their limit', () => {
  let strictPlatform: TestPlatform

  beforeAll(async () => {
    const names = ['VERIFY', 'PRECHECK', 'PRECHECK_ACTION', 'LOGIN', 'RESEND', 'FORGOT_PASSWORD']
    const limits = [...names, 'VERIFY_EMAIL', 'TRANSACTION', 'PRICES'].map((name) => [
      `RATE_LIMIT_${name}`,
      '1/3600',
    ])
    strictPlatform = await startTestPlatform({ ...Object.fromEntries(limits) })
    strictPlatform.clock.aheadMs = millisToMiddleOfHour()
  })
  afterAll(() => strictPlatform.stop())

  test.each([
    ['/api/v2/verify/app_x', 'verify', null],
    ['/api/v1/precheck/app_x', 'precheck', '*'],
    ['/api/v1/precheck/action_x', 'precheck-action', '*'],
    ['/api/v1/login', 'login', '*'],
    ['/api/v1/resend-verification', 'resend', '*'],
    ['/api/v1/forgot-password', 'forgot-password', null],
    ['/api/v1/verify-email', 'verify-email', null],
  ])('%s rejects requests above the limit %s', async (path, name, origin) => {
    expect((await fetch(strictPlatform.baseUrl + path, { method: 'POST' })).status).not.toBe(429)
    const rejection = await strictPlatform.post(path, {}, { accept: 'application/json' })
    expect(rejection).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(rejection.headers.get('ratelimit-policy')).toContain(`"${name}"; q=1; w=3600`)
    expect(rejection.headers.get('access-control-allow-origin')).toBe(origin)
  })

  test('both versions of verification share one limit', async () => {
    // The first request may already be above the limit, if another test has used it up.
    await strictPlatform.post('/api/v2/verify/app_x', {})
    expect((await strictPlatform.post('/api/v1/verify', {})).status).toBe(429)
  })

  test('a request for prices above the limit gets 429', async () => {
    const path = `${strictPlatform.baseUrl}/public/v1/miniapps/prices`
    expect((await fetch(path)).status).toBe(400)
    const rejection = await fetch(path)
    expect(rejection.status).toBe(429)
    expect(rejection.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('each API key has its own limit of payment status requests, and wrong secrets do not use it up', async () => {
    const path = `${strictPlatform.baseUrl}/api/v2/minikit/transaction/txn_x`
    const [team, otherTeam] = [await strictPlatform.team(), await strictPlatform.team()]
    const wrongKey = formatApiKey({ id: team.keyId, secret: 'guess' })
    const ask = (key: string) => fetch(path, { headers: { authorization: `Bearer ${key}` } })
    for (let i = 0; i < 3; i++) expect((await ask(wrongKey)).status).toBe(401)
    expect((await ask(team.apiKey)).status).toBe(400)
    const rejection = await ask(team.apiKey)
    expect(rejection.status).toBe(429)
    expect(rejection.headers.get('ratelimit-policy')).toContain('"transaction"; q=1; w=3600')
    expect((await ask(otherTeam.apiKey)).status).toBe(400)
  })

  test('a caller cannot forge an address if no proxy is trusted', async () => {
    const headers = { 'x-forwarded-for': caller() }
    expect((await strictPlatform.post('/api/v1/login', {}, headers)).status).toBe(429)
  })
})

describe('count_hits stores counts', () => {
  const count = (...hits: { key: string; ends_at: string; hits: number }[]) =>
    platform.db.query('select key, hits from count_hits($1)', [JSON.stringify(hits)])
  const ends_at = new Date(Date.now() + 3_600_000).toISOString()

  test('count_hits adds counts, even if one call has the same key twice', async () => {
    await count({ key: 'sum', ends_at, hits: 2 })
    const { rows } = await count({ key: 'sum', ends_at, hits: 3 }, { key: 'sum', ends_at, hits: 4 })
    expect(rows).toEqual([{ key: 'sum', hits: 9 }])
  })

  test('count_hits removes windows that have ended', async () => {
    const endOfWindow = new Date(Date.now() - 120_000).toISOString()
    await count({ key: 'over', ends_at: endOfWindow, hits: 1 })
    await count({ key: 'new', ends_at, hits: 1 })
    const { rowCount } = await platform.db.query("select from rate_limit where key = 'over'")
    expect(rowCount).toBe(0)
  })
})

/** Returns a new address, as the proxy reports it. */
function caller(): string {
  return `198.51.100.${++callers}`
}

function ask(from: string, url = platform.baseUrl) {
  return post(`${url}/api/v1/precheck/action_none`, {}, { 'x-forwarded-for': from })
}

async function exhaust(from: string) {
  for (let i = 0; i < LIMIT; i++) await ask(from)
  expect((await ask(from)).status).toBe(429)
}
