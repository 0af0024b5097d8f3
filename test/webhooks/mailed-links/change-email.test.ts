import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Mailboxes,
  PASSWORD,
  press,
  startWithMailboxes,
} from '../../support/webhooks/mailboxes.ts'
import { someoneWaits } from '../../support/webhooks/people.ts'

let scene: Mailboxes
let count = 0

beforeAll(async () => {
  scene = await startWithMailboxes()
})
afterAll(() => scene.stop())

const CHANGE =
  'mutation ($password: String!, $email: String!) { change_email(password: $password, email: $email) { success } }'

async function verifiedPerson() {
  const person = await scene.signup()
  await press(await scene.linkTo(person.email, 'verify-email'), { password: PASSWORD })
  return person
}

function change(token: string, email: string, password = PASSWORD) {
  return scene.graphql(token, CHANGE, { password, email })
}

const confirm = (link: string) => press(link, { password: PASSWORD })

const newAddress = () => `moved-${++count}@example.com`

describe('a change of address is confirmed from both mailboxes', () => {
  test.each(['old', 'new'])(
    'an address changes once both mailboxes confirm it, the %s mailbox first',
    async (order) => {
      const { email, token } = await verifiedPerson()
      const newEmail = newAddress()
      expect((await change(token, ` ${newEmail.toUpperCase()} `)).data).toEqual({
        change_email: { success: true },
      })
      const links = [
        await scene.linkTo(email, 'change-email'),
        await scene.linkTo(newEmail, 'change-email'),
      ]
      const [first = '', second = ''] = order === 'old' ? links : links.toReversed()
      expect(await (await fetch(first)).text()).toContain(newEmail)
      expect((await confirm(first)).text).toContain('Now follow the link')
      expect((await scene.login(email, PASSWORD)).status, 'one confirmation is not enough').toBe(
        200,
      )
      expect((await confirm(first)).status, 'a link works once').toBe(400)
      expect((await confirm(second)).text).toContain('Your address has changed')
      expect((await scene.login(email, PASSWORD)).status).toBe(400)
      expect((await scene.login(newEmail, PASSWORD)).status).toBe(200)
      expect((await scene.graphql(token, '{ user { email } }')).data).toEqual({
        user: [{ email: newEmail }],
      })
      const notice = (await scene.mails()).at(-1)
      expect([notice?.to, notice?.source]).toEqual([
        [email],
        expect.stringContaining('Subject: Your e-mail address was changed'),
      ])
    },
  )

  test("a change to another user's address fails, and the request does not reveal that the address is taken", async () => {
    const [mover, otherUser] = [await verifiedPerson(), await verifiedPerson()]
    expect((await change(mover.token, otherUser.email)).data).toEqual({
      change_email: { success: true },
    })
    await press(await scene.linkTo(mover.email, 'change-email'))
    expect((await confirm(await scene.linkTo(otherUser.email, 'change-email'))).status).toBe(400)
    expect((await scene.login(mover.email, PASSWORD)).status).toBe(200)
    expect((await scene.login(otherUser.email, PASSWORD)).status).toBe(200)
  })

  test('a second change of address invalidates the links of the first, including links not sent yet', async () => {
    const { email, token } = await verifiedPerson()
    const [first, second] = [newAddress(), newAddress()]
    await change(token, first)
    const [fromOld, fromFirst] = [
      await scene.linkTo(email, 'change-email'),
      await scene.linkTo(first, 'change-email'),
    ]
    await press(fromOld)
    await change(token, second)
    expect((await confirm(fromFirst)).status).toBe(400)
    await press(await scene.linkTo(email, 'change-email'))
    await scene.platform.db.query(
      'update mail set due_at = now(), sent_at = null where kind = $1',
      ['confirm_new_address'],
    )
    expect((await confirm(await scene.linkTo(first, 'change-email'))).status).toBe(400)
    expect((await confirm(await scene.linkTo(second, 'change-email'))).status).toBe(200)
    expect((await scene.login(second, PASSWORD)).status).toBe(200)
  })

  test('the owner of a mailbox cannot confirm a change without the password of the account', async () => {
    const { email, token } = await verifiedPerson()
    const wantedEmail = newAddress()
    await change(token, wantedEmail)
    await press(await scene.linkTo(email, 'change-email'))
    const link = await scene.linkTo(wantedEmail, 'change-email')
    for (const password of ['', 'guess-guess'])
      expect(await press(link, { password })).toMatchObject({
        status: 400,
        text: expect.stringContaining('not the password of this account'),
      })
    expect((await scene.login(wantedEmail, PASSWORD)).status).toBe(400)
    expect((await confirm(link)).text, 'the link still works').toContain('Your address has changed')
  })

  test('a change of address needs the password and a valid address', async () => {
    const { token } = await verifiedPerson()
    expect((await change(token, newAddress(), 'guess-guess')).code).toBe('invalid_credentials')
    expect((await change(token, 'a@b.example\r\nBcc: c@d.example')).code).toBe('validation_error')
  })

  test('a change of address rejects a password that is changed at the same moment', async () => {
    const { email, token } = await verifiedPerson()
    const { db } = scene.platform
    await db.query('begin')
    await db.query(`update "user" set password_hash = 'x' where email = $1`, [email])
    const answer = change(token, newAddress())
    await someoneWaits(scene.platform, 'begin_email_change')
    await db.query('commit')
    expect((await answer).code).toBe('invalid_credentials')
    expect(
      (
        await db.query(
          'select from email_change where user_id = (select id from "user" where email = $1)',
          [email],
        )
      ).rows,
    ).toEqual([])
  })

  test('an unverified address cannot be changed', async () => {
    const { token } = await scene.signup()
    expect((await change(token, newAddress())).code).toBe('validation-failed')
  })

  test("a user's fourth request for a change of address in an hour gets rate_limited", async () => {
    const { token } = await verifiedPerson()
    const codes: unknown[] = []
    for (let i = 0; i < 4; i++) codes.push((await change(token, newAddress())).code)
    expect(codes).toEqual([undefined, undefined, undefined, 'rate_limited'])
  })
})

test('a confirmed change of address counts towards the limit, too', async () => {
  const { email, token } = await verifiedPerson()
  const moved = newAddress()
  await change(token, moved)
  await confirm(await scene.linkTo(email, 'change-email'))
  expect((await confirm(await scene.linkTo(moved, 'change-email'))).text).toContain('has changed')
  const codes: unknown[] = []
  for (let i = 0; i < 3; i++) codes.push((await change(token, newAddress())).code)
  expect(codes).toEqual([undefined, undefined, 'rate_limited'])
})

test('a password link to the old mailbox gets 400 once the address has changed', async () => {
  const { email, token } = await verifiedPerson()
  await scene.platform.post('/api/v1/forgot-password', { email })
  const reset = await scene.linkTo(email, 'reset-password')
  const newEmail = newAddress()
  await change(token, newEmail)
  await press(await scene.linkTo(email, 'change-email'))
  await confirm(await scene.linkTo(newEmail, 'change-email'))
  expect((await press(reset, { new_password: 'indifference' })).status).toBe(400)
  expect((await scene.login(newEmail, PASSWORD)).status).toBe(200)
})

test('a password link that is created while the address changes gets 400', async () => {
  const { email } = await verifiedPerson()
  const { db, post } = scene.platform
  await db.query('begin')
  await db.query('lock table account_link in exclusive mode')
  await post('/api/v1/forgot-password', { email })
  const delivery = scene.mails()
  const waitingLocks =
    "select from pg_locks where relation = 'account_link'::regclass and not granted"
  await expect
    .poll(async () => (await db.query(waitingLocks)).rowCount, { timeout: 10_000 })
    .toBeGreaterThan(0)
  await db.query('update "user" set email = $2 where email = $1', [email, newAddress()])
  await db.query('commit')
  await delivery
  const reset = await scene.linkTo(email, 'reset-password')
  expect((await press(reset, { new_password: 'indifference' })).status).toBe(400)
})
