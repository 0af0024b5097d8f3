import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Mailboxes,
  PASSWORD,
  press,
  startWithMailboxes,
} from '../../support/webhooks/mailboxes.ts'

let scene: Mailboxes

beforeAll(async () => {
  scene = await startWithMailboxes()
})
afterAll(() => scene.stop())

const LOGINS = '{ login(order_by: {created_at: asc}) { id user_agent address } }'
const CHANGE =
  'mutation ($old: String!, $new: String!) { change_password(current_password: $old, new_password: $new) { success } }'

async function loginAs(email: string, agent = 'test', password = PASSWORD): Promise<string> {
  const { body } = await scene.login(email, password, { 'user-agent': agent })
  return String(Object(body).token)
}

async function signUpVerified() {
  const person = await scene.signup()
  await press(await scene.linkTo(person.email, 'verify-email'), { password: PASSWORD })
  return person
}

describe('a user manages their logins', () => {
  test('a user lists their own logins, ends one of them, and then ends all of them', async () => {
    const { email, token } = await signUpVerified()
    const stranger = await signUpVerified()
    const phone = await loginAs(email, 'Phone')
    const { data } = await scene.graphql(token, LOGINS)
    expect(data.login).toMatchObject([{}, { user_agent: 'Phone', address: '127.0.0.1' }])
    const [, { id }] = data.login
    const end = `mutation { delete_login_by_pk(id: "${id}") { id } }`
    expect((await scene.graphql(stranger.token, end)).data).toEqual({ delete_login_by_pk: null })
    expect((await scene.graphql(phone, LOGINS)).status).toBe(200)
    expect((await scene.graphql(token, end)).data).toEqual({ delete_login_by_pk: { id } })
    expect((await scene.graphql(phone, LOGINS)).status).toBe(401)
    const everywhere = 'mutation { delete_login(where: {}) { affected_rows } }'
    expect((await scene.graphql(token, everywhere)).data.delete_login.affected_rows).toBe(1)
    expect((await scene.graphql(token, LOGINS)).status).toBe(401)
    expect((await scene.graphql(stranger.token, LOGINS)).data.login).toHaveLength(1)
  })

  test('the oldest login of a user ends when the user has more than fifty', async () => {
    const { email, token } = await scene.signup()
    await scene.platform.db.query(
      `insert into login (user_id) select id from "user" cross join generate_series(1, 49) where email = $1`,
      [email],
    )
    expect((await scene.graphql(token, LOGINS)).data.login).toHaveLength(50)
    const last = await loginAs(email)
    expect((await scene.graphql(token, LOGINS)).status).toBe(401)
    expect((await scene.graphql(last, LOGINS)).data.login).toHaveLength(50)
  })

  test('a change of password ends the other logins of the user and sends a mail', async () => {
    const { email, token } = await signUpVerified()
    const otherToken = await loginAs(email)
    const wrongPasswords = { old: 'guess-guess', new: 'indifference' }
    expect((await scene.graphql(token, CHANGE, wrongPasswords)).code).toBe('invalid_credentials')
    const shortPassword = { old: PASSWORD, new: '1234567' }
    expect((await scene.graphql(token, CHANGE, shortPassword)).code).toBe('validation_error')
    const rightPasswords = { old: PASSWORD, new: 'indifference' }
    expect((await scene.graphql(token, CHANGE, rightPasswords)).data.change_password.success).toBe(
      true,
    )
    expect((await scene.graphql(token, LOGINS)).status, 'the login that changed the password').toBe(
      200,
    )
    expect((await scene.graphql(otherToken, LOGINS)).status).toBe(401)
    expect((await scene.login(email, PASSWORD)).status).toBe(400)
    expect((await scene.login(email, 'indifference')).status).toBe(200)
    expect((await scene.mails()).at(-1)?.source).toContain('Subject: Your password was changed')
  })

  test('one of two simultaneous changes of a password succeeds', async () => {
    const { email, token } = await signUpVerified()
    const passwords = ['password-1', 'password-2']
    const answers = await Promise.all(
      passwords.map((password) => scene.graphql(token, CHANGE, { old: PASSWORD, new: password })),
    )
    expect(answers.map(({ code }) => code).toSorted()).toEqual(['invalid_credentials', undefined])
    const statuses = await Promise.all(
      passwords.map(async (password) => (await scene.login(email, password)).status),
    )
    expect(statuses.toSorted()).toEqual([200, 400])
  })
})
