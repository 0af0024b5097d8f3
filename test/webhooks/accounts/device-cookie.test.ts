import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashToken } from '../../../lib/runtime/secrets/secret.ts'
import {
  type Mailboxes,
  PASSWORD,
  press,
  startWithMailboxes,
} from '../../support/webhooks/mailboxes.ts'
import { peopleOf } from '../../support/webhooks/people.ts'
import { post } from '../../support/webhooks/start-platform.ts'

// The device cookie, by which the next login recognizes a browser.

/** A device token that an attacker put into the browser. */
const PLANTED = `${'Q'.repeat(42)}x`
const BROWSER = { cookie: `device=${PLANTED}` }

let scene: Mailboxes
let inviteCount = 0

beforeAll(async () => {
  scene = await startWithMailboxes({
    TRUSTED_PROXY_HOPS: '1',
    RATE_LIMIT_LOGIN_UNKNOWN_DEVICE: '3/86400',
  })
})
afterAll(() => scene.stop())

test('scripts cannot read the device cookie, and the next login from the browser keeps it', async () => {
  const { email } = await scene.signup()
  const { headers } = await scene.login(email, PASSWORD)
  const cookie = headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(
    /^device=[\w-]{43}; Max-Age=7776000; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
  )
  const [cookiePair = ''] = cookie.split(';')
  const nextReply = await scene.login(email, PASSWORD, { cookie: cookiePair })
  expect(nextReply.headers.get('set-cookie')).toContain(cookiePair)
})

test('only the host itself can set the device cookie of a platform with HTTPS', async () => {
  const { email } = await scene.signup()
  const secure = await scene.platform.anotherInstance({ BASE_URL: 'https://portal.example' })
  const logIn = async (cookie: string) => {
    const account = { email, password: PASSWORD }
    const { headers } = await post(`${secure.baseUrl}/api/v1/login`, account, { cookie })
    return headers.get('set-cookie') ?? ''
  }
  const line = await logIn('')
  expect(line).toMatch(/^__Host-device=[\w-]{43}; .*Path=\/; .*HttpOnly; Secure; SameSite=Strict$/)
  const [cookiePair = ''] = line.split(';')
  expect(await logIn(cookiePair), 'the next login keeps the cookie').toContain(cookiePair)
  const withoutPrefix = cookiePair.replace('__Host-', '')
  expect(await logIn(withoutPrefix), 'a cookie that any host can set').not.toContain(withoutPrefix)
  await secure.stop()
})

test('a cookie planted before the login gives the attacker no more guesses', async () => {
  const { email } = await scene.signup()
  const attackerAddress = { 'x-forwarded-for': '203.0.113.7' }
  expect((await scene.login(email, PASSWORD, BROWSER)).status).toBe(200)
  const statuses: number[] = []
  for (let i = 0; i < 5; i++)
    statuses.push(
      (await scene.login(email, 'guess-guess', { ...attackerAddress, ...BROWSER })).status,
    )
  expect(statuses).toEqual([400, 400, 400, 429, 429])
})

describe('a planted device cookie is replaced', () => {
  const account = (email: string) => ({
    email,
    password: PASSWORD,
    name: 'Person',
    team_name: 'Team',
  })

  test('a signup replaces a planted device cookie, and a rejected signup sets no cookie', async () => {
    const { platform } = scene
    const signup = await platform.post('/api/v1/signup', account('planted@example.com'), BROWSER)
    expect(signup.headers.get('set-cookie')).toMatch(/^device=/)
    await expectReplaced('planted@example.com', signup.headers.get('set-cookie'))
    const nextReply = await platform.post('/api/v1/signup', account('planted@example.com'), BROWSER)
    expect([nextReply.status, nextReply.headers.get('set-cookie')]).toEqual([400, null])
  })

  test('a login replaces the device cookie of another user', async () => {
    const { email: otherEmail } = await scene.signup()
    const { headers } = await scene.login(otherEmail, PASSWORD)
    const [otherCookie = ''] = headers.get('set-cookie')?.split(';') ?? []
    const { email } = await scene.signup()
    const login = await scene.login(email, PASSWORD, { cookie: otherCookie })
    expect(login.headers.get('set-cookie')).toMatch(/^device=/)
    await expectReplaced(email, login.headers.get('set-cookie'), otherCookie.replace('device=', ''))
  })

  test.each([
    ['for verifying an address with the password', 'verify-email', { password: PASSWORD }],
    [
      'for verifying an address with a new password',
      'verify-email',
      { new_password: 'mine-alone' },
    ],
    ['for a forgotten password', 'reset-password', { new_password: 'mine-alone' }],
  ] as const)(
    'submitting the page of the mailed link %s replaces a planted device cookie',
    async (_link, page, fields) => {
      const { email } = await scene.signup()
      if (page === 'reset-password') await scene.platform.post('/api/v1/forgot-password', { email })
      const link = await scene.linkTo(email, page)
      const { headers } = await press(link, fields, BROWSER)
      await expectReplaced(email, headers.get('set-cookie'))
      const nextReply = await press(link, fields, BROWSER)
      expect([nextReply.status, nextReply.headers.get('set-cookie')], 'a used link').toEqual([
        400,
        null,
      ])
    },
  )

  test.each([
    ['a person without an account', false, { name: 'Guest', new_password: 'mine-alone' }],
    ['a person with an unverified address', true, { password: PASSWORD }],
  ])(
    'an invite accepted by %s replaces a planted device cookie',
    async (_who, hasAccount, fields) => {
      const owner = await peopleOf(scene.platform)(`inviter-${++inviteCount}@example.com`)
      const email = `invited-${inviteCount}@example.com`
      if (hasAccount) await scene.signup(email)
      await owner.graphql(
        `mutation { invite_team_members(team_id: "${owner.team}", emails: ["${email}"]) { emails } }`,
      )
      const { status, headers } = await press(
        await scene.linkTo(email, 'accept-invite'),
        fields,
        BROWSER,
      )
      expect(status).toBe(200)
      await expectReplaced(email, headers.get('set-cookie'))
    },
  )
})

/** Checks that the token in a new cookie identifies a device of the user, and that the planted token does not. */
async function expectReplaced(email: string, cookie: string | null, plantedToken = PLANTED) {
  const [, token = ''] = /^device=([\w-]{43});/.exec(cookie ?? '') ?? []
  const { rows } = await scene.platform.db.query(
    'select device_hash from known_device join "user" on "user".id = user_id where email = $1',
    [email],
  )
  const hashes = rows.map(({ device_hash }) => device_hash)
  expect(hashes).toContain(hashToken(token))
  expect(hashes).not.toContain(hashToken(plantedToken))
}
