import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { someoneWaits } from '../../support/webhooks/people.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'
import { smtpServer, tokenIn } from '../../support/webhooks/smtp-server.ts'
import { startTestPlatform, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let smtp: ReturnType<typeof smtpServer>
let people = 0

beforeAll(async () => {
  smtp = smtpServer(await freePort())
  await smtp.start()
  platform = await startTestPlatform({
    SMTP_URL: smtp.url,
    SMTP_TIMEOUT_MS: '2000',
    MAIL_FROM: 'Platform <no-reply@platform.example>',
  })
})
afterAll(async () => {
  await platform.stop()
  await smtp.stop()
})
afterEach(async () => {
  smtp.state.manner = 'takes'
  smtp.received.length = 0
  await platform.db.query('delete from mail')
})

describe('a mail is delivered once', () => {
  test('a mail is sent once, from the configured sender, to one address, with a link', async () => {
    const email = await signup()
    expect(await deliver()).toMatchObject({
      status: 200,
      body: { success: true, sent: 1, failed: 0 },
    })
    expect(await deliver()).toMatchObject({ body: { sent: 0, failed: 0 } })
    expect(smtp.received).toHaveLength(1)
    const [mail] = smtp.received
    expect(mail?.to).toEqual([email])
    expect(mail?.source).toMatch(/^From: Platform <no-reply@platform\.example>\r$/m)
    expect(mail?.source).toMatch(/^Message-ID: <mail_[0-9a-f]{32}@platform\.example>\r$/m)
    expect(tokenIn(smtp.received[0] ?? { to: [], source: '' })).toMatch(/^[\w-]{43}$/)
  })

  test('a mail contains neither the name nor the team name that the person chose', async () => {
    await signup({ name: 'Buy at evil.example', team_name: 'Win a prize' })
    await deliver()
    expect(smtp.received[0]?.source).not.toMatch(/evil\.example|prize/)
  })

  test('only the hash of a mailed token is stored', async () => {
    const email = await signup()
    await deliver()
    const token = tokenIn(smtp.received[0] ?? { to: [], source: '' })
    const { rows } = await platform.db.query(
      `select account_link.*::text as row, token_hash, expires_at - account_link.created_at between '23 hours 59 minutes' and '24 hours 1 minute' as day
      from account_link join "user" on "user".id = user_id where "user".email = $1`,
      [email],
    )
    const token_hash = createHash('sha256').update(token).digest('hex')
    expect(rows).toEqual([{ row: expect.not.stringContaining(token), token_hash, day: true }])
  })
})

describe('every mail is sent once in spite of a failing mail server', () => {
  test('every mail is sent once although the mail server was down', async () => {
    const emails = [await signup(), await signup(), await signup()]
    await smtp.stop()
    expect(await deliver()).toMatchObject({ status: 200, body: { sent: 0, failed: 3 } })
    await smtp.start()
    await expectDelivered(emails)
  })

  test('every mail is sent once although the mail server rejected it before', async () => {
    const emails = [await signup(), await signup()]
    smtp.state.manner = 'refuses'
    expect(await deliver()).toMatchObject({ body: { sent: 0, failed: 2 } })
    smtp.state.manner = 'takes'
    await expectDelivered(emails)
  })

  test('every mail is sent once although the mail server did not answer before', async () => {
    const emails = [await signup(), await signup()]
    smtp.state.manner = 'never answers'
    expect(await deliver()).toMatchObject({ body: { sent: 0, failed: 2 } })
    smtp.state.manner = 'takes'
    await expectDelivered(emails)
  })

  async function expectDelivered(emails: string[]) {
    expect(await deliver(), 'a failed mail is not retried immediately').toMatchObject({
      body: { sent: 0 },
    })
    await makeDue()
    expect(await deliver()).toMatchObject({ body: { sent: emails.length, failed: 0 } })
    await makeDue()
    expect(await deliver()).toMatchObject({ body: { sent: 0, failed: 0 } })
    expect(smtp.received.flatMap(({ to }) => to).toSorted()).toEqual(emails.toSorted())
  }
})

test('each failure doubles the time until the next attempt, up to an hour', async () => {
  await signup()
  smtp.state.manner = 'refuses'
  const minutes: number[] = []
  for (let i = 0; i < 7; i++) {
    await deliver()
    const { rows } = await platform.db.query(
      'select round(extract(epoch from due_at - updated_at) / 60)::integer as wait from mail',
    )
    minutes.push(rows[0].wait)
    await makeDue()
  }
  expect(minutes).toEqual([2, 4, 8, 16, 32, 60, 60])
})

test('a mail is given up after three days', async () => {
  await signup()
  await platform.db.query("update mail set created_at = now() - interval '3 days'")
  expect(await deliver()).toMatchObject({ body: { sent: 0, failed: 0 } })
})

test('three simultaneous deliveries send each mail once', async () => {
  const emails = await Promise.all(Array.from({ length: 12 }, () => signup()))
  const replies = await Promise.all([deliver(), deliver(), deliver()])
  const sentCounts = replies.map(({ body }) => Object(body).sent)
  expect(sentCounts.reduce((sum, count) => sum + count, 0)).toBe(12)
  expect(smtp.received.flatMap(({ to }) => to).toSorted()).toEqual(emails.toSorted())
})

test('if the sender of a mail dies, another sender sends the mail once the lease has ended', async () => {
  const email = await signup()
  await platform.db.query('select from lease_mail(10)')
  expect(await deliver()).toMatchObject({ body: { sent: 0 } })
  await makeDue()
  await deliver()
  expect(smtp.received.map(({ to }) => to)).toEqual([[email]])
})

describe('another verification link can be requested', () => {
  const requestLink = (email: unknown) => platform.post('/api/v1/resend-verification', { email })

  test('two requests in a row for another verification link queue one mail', async () => {
    const email = await signup()
    await deliver()
    await requestLink(email.toUpperCase())
    await requestLink(email)
    await deliver()
    expect(smtp.received.map(({ to }) => to)).toEqual([[email], [email]])
  })

  test('another verification link is queued once for two simultaneous requests', async () => {
    const email = await signup()
    await deliver()
    await platform.db.query('begin')
    await platform.db.query('select from resend_verification($1)', [email])
    const second = requestLink(email)
    await someoneWaits(platform, 'resend_verification')
    await platform.db.query('commit')
    expect(await second).toMatchObject({ status: 200, body: { success: true } })
    const { rowCount } = await platform.db.query('select from mail where sent_at is null')
    expect(rowCount).toBe(1)
  })

  test('a request for another verification link has the same response for every address', async () => {
    const unverifiedEmail = await signup()
    const verifiedEmail = await signup()
    await platform.db.query('delete from mail')
    await platform.db.query('update "user" set email_verified_at = now() where email = $1', [
      verifiedEmail,
    ])
    for (const email of [
      unverifiedEmail,
      verifiedEmail,
      'nobody@example.com',
      'not an address',
      '\0',
    ])
      expect(await requestLink(email)).toMatchObject({ status: 200, body: { success: true } })
    const { rowCount } = await platform.db.query('select from mail')
    expect(rowCount).toBe(1)
  })

  test.each([undefined, null, ''])(
    'a request for another verification link with the address %j gets 400',
    async (email) => {
      const body = { code: 'required', attribute: 'email' }
      expect(await requestLink(email)).toMatchObject({ status: 400, body })
    },
  )
})

test.each([
  ['no credentials', {}],
  ['an empty secret', { authorization: 'Bearer ' }],
  ['a prefix of the secret', { authorization: `Bearer ${INTERNAL_SECRET.slice(0, -1)}` }],
  ['more than the secret', { authorization: `Bearer ${INTERNAL_SECRET}0` }],
  ['another scheme', { authorization: `Basic ${INTERNAL_SECRET}` }],
  ['the bare secret', { authorization: INTERNAL_SECRET }],
])('a delivery of mail gets 403 with %s', async (_name, headers) => {
  const reply = await platform.post('/api/_mail', {}, headers)
  expect(reply).toMatchObject({ status: 403, body: { code: 'permission_denied' } })
  expect(reply.headers.get('access-control-allow-origin')).toBeNull()
})

async function signup(fields: object = {}): Promise<string> {
  const email = `person-${++people}@example.com`
  const body = { email, password: 'difference', name: 'Person', team_name: 'Team', ...fields }
  expect((await platform.post('/api/v1/signup', body)).status).toBe(201)
  return email
}

function deliver() {
  return platform.post('/api/_mail', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
}

/** Makes messages due immediately. */
async function makeDue() {
  await platform.db.query('update mail set due_at = now()')
}
