import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { millisToMiddleOfHour } from '../../support/middle-of-an-hour.ts'
import {
  type Mailboxes,
  PASSWORD,
  press,
  startWithMailboxes,
} from '../../support/webhooks/mailboxes.ts'

let scene: Mailboxes
let addresses = 0

beforeAll(async () => {
  scene = await startWithMailboxes({
    TRUSTED_PROXY_HOPS: '1',
    RATE_LIMIT_LOGIN_EMAIL: '3/60',
    RATE_LIMIT_LOGIN_UNKNOWN_DEVICE: '5/86400',
    RATE_LIMIT_LOGIN_UNKNOWN_DEVICES: '12/86400',
  })
  scene.platform.clock.aheadMs = millisToMiddleOfHour()
})
afterAll(() => scene.stop())

const from = (address: string, cookie = '') => ({ 'x-forwarded-for': address, cookie })
const newAddress = () => `203.0.113.${++addresses}`

async function guess(email: string, address: string): Promise<number> {
  return (await scene.login(email, 'guess-guess', from(address))).status
}

async function signupFrom(address: string) {
  const email = `${address}@example.com`
  const body = { email, password: PASSWORD, name: 'Person', team_name: 'Team' }
  await scene.platform.post('/api/v1/signup', body, from(address))
  return email
}

/** Guesses from one address until it gets 429, and returns the number of guesses. */
async function exhaust(email: string, address: string): Promise<number> {
  for (let guesses = 0; ; guesses++) {
    if (guesses % 3 === 2) scene.platform.clock.aheadMs += 60_000
    if ((await guess(email, address)) === 429) return guesses
  }
}

describe('wrong passwords are limited', () => {
  test('wrong passwords from one address do not keep the user from logging in from another address', async () => {
    const email = await signupFrom(newAddress())
    const attacker = newAddress()
    expect(await exhaust(email, attacker)).toBe(5)
    expect((await scene.login(email, PASSWORD, from(attacker))).status).toBe(429)
    expect((await scene.login(email, PASSWORD, from(newAddress()))).status).toBe(200)
  })

  test('wrong passwords from many addresses get 429, but an address or browser of an earlier login can still log in', async () => {
    const home = newAddress()
    const email = await signupFrom(home)
    let guesses = 0
    for (let i = 0; i < 6; i++) guesses += await exhaust(email, newAddress())
    expect(guesses).toBe(12)
    const unknown = await scene.login(email, PASSWORD, from(newAddress()))
    expect(unknown).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(unknown.headers.get('retry-after'))).toBeGreaterThan(0)
    const { status, headers } = await scene.login(email, PASSWORD, from(home))
    expect(status).toBe(200)
    const [cookie] = headers.get('set-cookie')?.split(';') ?? []
    const onTheWay = await scene.login(email, PASSWORD, from(newAddress(), cookie))
    expect(onTheWay.status, 'the cookie identifies the browser at any address').toBe(200)
  })

  test.each([
    'change_password(current_password: "guess-guess", new_password: "indifference")',
    'change_email(password: "guess-guess", email: "new@example.com")',
    'delete_account(password: "guess-guess")',
  ])('a thief of a login token gets 429 after five wrong passwords in %s', async (action) => {
    const home = newAddress()
    const email = await signupFrom(home)
    await scene.platform.db.query('update "user" set email_verified_at = now() where email = $1', [
      email,
    ])
    const { body } = await scene.login(email, PASSWORD, from(home))
    const change = `mutation { ${action} { success } }`
    const codes: string[] = []
    for (let i = 0; i < 7; i++) {
      if (i % 3 === 2) scene.platform.clock.aheadMs += 60_000
      codes.push((await scene.graphql(String(Object(body).token), change)).code)
    }
    expect(codes).toEqual([
      ...Array(5).fill('invalid_credentials'),
      ...Array(2).fill('rate_limited'),
    ])
    expect((await scene.login(email, PASSWORD, from(home))).status).toBe(200)
  })

  test('wrong passwords from many addresses do not lock out a user who resets the password by the mailed link', async () => {
    const [home, newDevice] = [newAddress(), newAddress()]
    const email = await signupFrom(home)
    for (let i = 0; i < 6; i++) await exhaust(email, newAddress())
    await scene.platform.post('/api/v1/forgot-password', { email }, from(newDevice))
    const link = await scene.linkTo(email, 'reset-password')
    await press(link, { new_password: 'indifference' }, from(newDevice))
    expect((await scene.login(email, 'indifference', from(newDevice))).status).toBe(200)
    expect((await scene.login(email, 'indifference', from(newAddress()))).status).toBe(429)
  })

  test('a device that knew only the replaced password gets the guesses of an unknown device', async () => {
    const squatter = newAddress()
    const email = await signupFrom(squatter)
    await press(await scene.linkTo(email, 'verify-email'), { new_password: 'mine-alone' })
    expect(await exhaust(email, squatter)).toBe(5)
  })

  test('wrong passwords are counted for a missing account like for an existing account', async () => {
    const counts = [await signupFrom(newAddress()), 'nobody@example.com'].map(async (email) => {
      const guessCounts = [await exhaust(email, newAddress())]
      for (let i = 0; i < 3; i++) guessCounts.push(await exhaust(email, newAddress()))
      return guessCounts
    })
    const [existing, missing] = [await counts[0], await counts[1]]
    expect(missing).toEqual(existing)
  })

  test('the counts of wrong passwords are stored by hash, without any address', async () => {
    await exhaust('ada.lovelace@example.com', newAddress())
    const { rows } = await scene.platform.db.query(
      "select key from rate_limit where key like 'login-%'",
    )
    for (const { key } of rows) expect(key).toMatch(/^login-[a-z-]+:[0-9a-f]{64}$/)
  })
})
