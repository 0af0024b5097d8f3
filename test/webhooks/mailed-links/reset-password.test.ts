import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Mailboxes, press, startWithMailboxes } from '../../support/webhooks/mailboxes.ts'

let scene: Mailboxes

beforeAll(async () => {
  scene = await startWithMailboxes()
})
afterAll(() => scene.stop())

const requestReset = (email: unknown) => scene.platform.post('/api/v1/forgot-password', { email })
const resetLink = async (email: string) => {
  await requestReset(email)
  return scene.linkTo(email, 'reset-password')
}
const SELF = '{ user { id } }'

describe('a forgotten password is replaced by a mailed link', () => {
  test('a mailed link replaces the password, ends all logins and sends a mail', async () => {
    const { email, token } = await scene.signup()
    await press(await scene.linkTo(email, 'verify-email'), { password: 'difference' })
    expect((await scene.graphql(token, SELF)).status).toBe(200)
    await requestReset(` ${email.toUpperCase()}`)
    const link = await scene.linkTo(email, 'reset-password')
    expect((await fetch(link)).status, 'opening the link changes nothing').toBe(200)
    expect((await scene.login(email, 'difference')).status).toBe(200)
    expect((await press(link, { new_password: 'indifference' })).text).toContain(
      'Your password has changed',
    )
    expect((await scene.login(email, 'difference')).body).toMatchObject({
      code: 'invalid_credentials',
    })
    expect((await scene.login(email, 'indifference')).status).toBe(200)
    expect((await scene.graphql(token, SELF)).status).toBe(401)
    const last = (await scene.mails()).at(-1)
    expect([last?.to, last?.source]).toEqual([
      [email],
      expect.stringContaining('Subject: Your password was changed'),
    ])
  })

  test('a request for a password link gets the same response for an unknown address, after at least 190 ms', async () => {
    const { email } = await scene.signup()
    const answers: unknown[] = []
    for (const address of [email, 'nobody@example.com', 'not an address', '\0']) {
      const startMs = performance.now()
      const { status, body } = await requestReset(address)
      expect(performance.now() - startMs).toBeGreaterThan(190)
      answers.push({ status, body })
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set(['{"status":200,"body":{"success":true}}']),
    )
    expect(await requestReset('')).toMatchObject({ status: 400, body: { code: 'required' } })
  })

  test('a password link also verifies the address, because it proves the mailbox', async () => {
    const { email } = await scene.signup()
    await press(await resetLink(email), { new_password: 'indifference' })
    expect(await scene.isVerified(email)).toBe(true)
  })

  test('a mailbox gets at most three password links an hour', async () => {
    const { email } = await scene.signup()
    for (let i = 0; i < 5; i++) {
      await Promise.all([requestReset(email), requestReset(email)])
      await scene.mails()
    }
    const resetMails = scene.smtp.received.filter(
      ({ to, source }) => to.includes(email) && source.includes('reset-password'),
    )
    expect(resetMails).toHaveLength(3)
  })
})

describe('a password link works once', () => {
  test("one of four simultaneous requests with a password link succeeds, and the user's other links stop working", async () => {
    const { email } = await scene.signup()
    const [first, second] = [await resetLink(email), await resetLink(email)]
    expect(first).not.toBe(second)
    const replies = await Promise.all(
      Array.from({ length: 4 }, (_, i) => press(first, { new_password: `password-${i}` })),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
    const winner = replies.findIndex(({ status }) => status === 200)
    expect((await scene.login(email, `password-${winner}`)).status).toBe(200)
    expect((await press(second, { new_password: 'another-one' })).status).toBe(400)
  })

  test('a password link expires after an hour', async () => {
    const { email } = await scene.signup()
    const link = await resetLink(email)
    await scene.platform.db.query(
      "update account_link set expires_at = expires_at - interval '1 hour'",
    )
    for (const answer of [await fetch(link), await press(link, { new_password: 'indifference' })])
      expect(answer.status).toBe(400)
  })

  test.each([
    ['no password', {}],
    ['a password of seven characters', { new_password: '1234567' }],
    ['a password of 201 characters', { new_password: 'x'.repeat(201) }],
  ])('a password link still works after an attempt with %s', async (_what, fields) => {
    const { email } = await scene.signup()
    const link = await resetLink(email)
    const { status, text } = await press(link, fields)
    expect([status, text]).toEqual([400, expect.stringContaining('8 to 200 characters')])
    expect((await press(link, { new_password: '🔑'.repeat(200) })).status).toBe(200)
  })

  test('a password link opens no other page, and a verification link does not open its page', async () => {
    const { email } = await scene.signup()
    const verify = await scene.linkTo(email, 'verify-email')
    const reset = await resetLink(email)
    const swappedLinks = [
      verify.replace('verify-email', 'reset-password'),
      reset.replace('reset-password', 'verify-email'),
      reset.replace('reset-password', 'change-email'),
      reset.replace('reset-password', 'accept-invite'),
    ]
    for (const link of swappedLinks) {
      expect((await fetch(link)).status).toBe(400)
      expect((await press(link, { new_password: 'indifference' })).status).toBe(400)
    }
  })

  test('a password link does not accept the old password instead of a new one', async () => {
    const { email } = await scene.signup()
    const link = await resetLink(email)
    expect((await press(link, { password: 'difference' })).status).toBe(400)
    expect((await scene.login(email, 'difference')).status).toBe(200)
  })
})
