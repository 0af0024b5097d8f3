import { decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEngine } from '../../../packages/engine/test/support/start-engine.ts'
import { LOGIN_TOKEN_SECRET } from '../../support/webhooks/platform-environment.ts'
import { startPlatformOn, type TestPlatform } from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform

beforeAll(async () => {
  platform = await startPlatformOn(startEngine, { PASSWORD_MAX_QUEUE: '8' })
})
afterAll(() => platform.stop())

const ada = { email: 'ada@example.com', password: 'difference', name: 'Ada', team_name: 'Engine' }

describe('a signup creates an account', () => {
  test('a signup creates a user, a team that the user owns, and a mail to send', async () => {
    const reply = await signup({ ...ada, email: ' Ada.Made@Example.com ' })
    expect(reply).toMatchObject({ status: 201, body: { token: expect.any(String) } })
    const { rows } = await platform.db.query(
      `select "user".email, "user".name, team.name as team, role, kind, email_verified_at
      from "user" join membership on user_id = "user".id join team on team.id = team_id
        join mail on mail.user_id = "user".id
      where email = 'ada.made@example.com'`,
    )
    expect(rows).toEqual([
      {
        email: 'ada.made@example.com',
        name: 'Ada',
        team: 'Engine',
        role: 'OWNER',
        kind: 'verify_email',
        email_verified_at: null,
      },
    ])
  })

  test('a signup stores the password only as argon2id', async () => {
    await signup({ ...ada, email: 'hashed@example.com' })
    const { rows } = await platform.db.query(
      `select "user"::text as row, password_hash from "user" where email = 'hashed@example.com'`,
    )
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(rows[0].row).not.toContain(ada.password)
  })

  test.each([
    ['no field at all', {}, 'required', 'email'],
    ['no password', { email: 'not-an-address' }, 'required', 'password'],
    ['an empty password', { ...ada, password: '' }, 'required', 'password'],
    ['null as a name', { ...ada, name: null }, 'required', 'name'],
    ['no team name', { ...ada, team_name: undefined }, 'required', 'team_name'],
    ['a password of seven characters', { ...ada, password: '1234567' }, 'min_length', 'password'],
    [
      'a password of seven characters of two UTF-16 units each',
      { ...ada, password: '🔑'.repeat(7) },
      'min_length',
      'password',
    ],
    [
      'a password of seven characters of two code points each',
      { ...ada, password: 'e\u0301'.repeat(7) },
      'min_length',
      'password',
    ],
    [
      'a password of 201 characters',
      { ...ada, password: 'x'.repeat(201) },
      'validation_error',
      'password',
    ],
    ['a password that is a number', { ...ada, password: 12345678 }, 'validation_error', 'password'],
    ['no at sign', { ...ada, email: 'ada.example.com' }, 'invalid', 'email'],
    [
      'a mail header in the address',
      { ...ada, email: 'a@b.example\r\nBcc: c@d.example' },
      'invalid',
      'email',
    ],
    ['two addresses', { ...ada, email: 'a@b.example,c@d.example' }, 'invalid', 'email'],
    [
      'an address of 255 characters',
      { ...ada, email: `${'a'.repeat(243)}@example.com` },
      'invalid',
      'email',
    ],
    [
      'a line end in the name',
      { ...ada, name: 'Ada\r\nBcc: c@d.example' },
      'validation_error',
      'name',
    ],
    ['a name of spaces', { ...ada, name: '  ' }, 'validation_error', 'name'],
    [
      'a team name of 129 characters',
      { ...ada, team_name: 'x'.repeat(129) },
      'validation_error',
      'team_name',
    ],
    [
      'a zero byte in the team name',
      { ...ada, team_name: 'a\0b' },
      'validation_error',
      'team_name',
    ],
    [
      'half a surrogate pair in the team name',
      { ...ada, team_name: '\ud800' },
      'validation_error',
      'team_name',
    ],
  ])('a signup with %s gets 400', async (_name, body, code, attribute) => {
    expect(await signup(body)).toMatchObject({ status: 400, body: { code, attribute } })
  })

  test.each([8, 200])('a signup accepts a password of %i characters', async (length) => {
    const body = { ...ada, email: `length-${length}@example.com`, password: '🔑'.repeat(length) }
    expect((await signup(body)).status).toBe(201)
    expect((await login(body)).status).toBe(200)
  })

  test('one of eight simultaneous signups with the same address succeeds, and the others leave no team', async () => {
    const team_name = 'Racers'
    const racers = ['racer@example.com', 'RACER@example.com'].flatMap((email) =>
      Array.from({ length: 4 }, () => signup({ ...ada, email, team_name })),
    )
    const replies = await Promise.all(racers)
    const rejections = replies.filter(({ status }) => status !== 201)
    expect(rejections).toHaveLength(7)
    for (const { status, body } of rejections)
      expect([status, body]).toMatchObject([
        400,
        { code: 'already_registered', attribute: 'email' },
      ])
    const { rowCount } = await platform.db.query("select from team where name = 'Racers'")
    expect(rowCount).toBe(1)
  })
})

describe('a login checks the address and the password', () => {
  beforeAll(() => signup(ada))

  test('a login with another spelling of the address returns a token of the user', async () => {
    const reply = await login({ email: ' ADA@example.com', password: ada.password })
    expect(reply.status).toBe(200)
    const { rows } = await platform.db.query('select id from "user" where email = $1', [ada.email])
    const { payload } = await jwtVerify(tokenOf(reply), secret, { algorithms: ['HS512'] })
    expect(payload).toEqual({
      sub: rows[0].id,
      jti: expect.stringMatching(/^login_[0-9a-f]{32}$/),
      iss: platform.baseUrl,
      iat: expect.any(Number),
      exp: (payload.iat ?? 0) + 86_400,
      'https://hasura.io/jwt/claims': {
        'x-hasura-allowed-roles': ['unverified_user'],
        'x-hasura-default-role': 'unverified_user',
        'x-hasura-user-id': rows[0].id,
      },
    })
    expect(decodeProtectedHeader(tokenOf(reply))).toEqual({ alg: 'HS512', typ: 'JWT' })
  })

  test('a login accepts é as one code point or as two', async () => {
    await signup({ ...ada, email: 'cafe@example.com', password: 'caf\u00e9-caf\u00e9' })
    const reply = await login({ email: 'cafe@example.com', password: 'cafe\u0301-cafe\u0301' })
    expect(reply.status).toBe(200)
  })

  test.each([
    ['no address', { password: 'x' }, 'required', 'email'],
    ['no password', { email: ada.email }, 'required', 'password'],
    ['a wrong password', { ...ada, password: 'indifference' }, 'invalid_credentials', null],
    [
      'the password in another case',
      { ...ada, password: 'Difference' },
      'invalid_credentials',
      null,
    ],
    [
      'the password and a zero byte',
      { ...ada, password: 'difference\0' },
      'invalid_credentials',
      null,
    ],
    ['an unknown address', { ...ada, email: 'eve@example.com' }, 'invalid_credentials', null],
    ['SQL instead of an address', { ...ada, email: "' or true --" }, 'invalid_credentials', null],
    ['a zero byte as the address', { ...ada, email: '\0' }, 'invalid_credentials', null],
  ])('a login with %s gets 400', async (_name, body, code, attribute) => {
    expect(await login(body)).toMatchObject({ status: 400, body: { code, attribute } })
  })

  test('a login with an unknown address has the same response and costs about the same CPU time as one with a wrong password', async () => {
    const wrongPassword = { email: ada.email, password: 'guess-guess' }
    const unknownAddress = { email: 'nobody@example.com', password: 'guess-guess' }
    expect((await login(wrongPassword)).body).toEqual((await login(unknownAddress)).body)
    const work = { known: [] as number[], stranger: [] as number[] }
    for (let i = 0; i < 25; i++) {
      work.known.push(await workOf(() => login(wrongPassword)))
      work.stranger.push(await workOf(() => login(unknownAddress)))
    }
    // Medians, because a garbage collection or a timer may hit any of the fifty logins.
    const ratio = median(work.stranger) / median(work.known)
    expect(ratio).toBeGreaterThan(0.75)
    expect(ratio).toBeLessThan(1.33)
  })

  test('in a flood of logins, the logins that would wait too long get 503, and the others get 200', async () => {
    const flood = await Promise.all(Array.from({ length: 60 }, () => login(ada)))
    const statuses = new Set(flood.map(({ status }) => status))
    expect(statuses).toEqual(new Set([200, 503]))
    const rejections = flood.find(({ status }) => status === 503)
    expect(rejections?.body).toMatchObject({ code: 'unavailable' })
    // The estimated wait, which is a few seconds where passwords are slow to check.
    expect(rejections?.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    expect((await login(ada)).status).toBe(200)
  })

  test('the main thread uses less than half of the CPU time of a flood of logins, because another thread hashes the passwords', async () => {
    const [wholeProcess, thisThread] = [process.cpuUsage(), process.threadCpuUsage()]
    for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 8 }, () => login(ada)))
    expect(
      sumOf(process.threadCpuUsage(thisThread)) / sumOf(process.cpuUsage(wholeProcess)),
    ).toBeLessThan(0.5)
  })
})

const secret = new TextEncoder().encode(LOGIN_TOKEN_SECRET)

function signup(body: object) {
  return platform.post('/api/v1/signup', body)
}

function login(body: object) {
  return platform.post('/api/v1/login', body)
}

function tokenOf({ body }: { body: unknown }): string {
  return String(Object(body).token)
}

/** Returns the CPU milliseconds that this process uses for `work`. Unlike elapsed time, they do not depend on other load. */
async function workOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  return sumOf(process.cpuUsage(before)) / 1_000
}

function sumOf({ user, system }: NodeJS.CpuUsage): number {
  return user + system
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
