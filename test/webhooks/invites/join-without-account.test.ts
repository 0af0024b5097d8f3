import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startBrowser } from '../../support/chromium.ts'
import { type Mailboxes, press, startWithMailboxes } from '../../support/webhooks/mailboxes.ts'
import { type Person, peopleOf, someoneWaits } from '../../support/webhooks/people.ts'

// These invites go to addresses without an account. Only the owner of a mailbox gets its link, so the link proves the
// address.

const ACCOUNT = { name: 'Grace Hopper', new_password: 'of-the-guest' }

let mailboxes: Mailboxes
let owner: Person
let email: string
let link: string
let guests = 0

beforeAll(async () => {
  mailboxes = await startWithMailboxes()
})
afterAll(() => mailboxes.stop())
beforeEach(async () => {
  const { platform } = mailboxes
  owner = await peopleOf(platform)(`owner-${++guests}@example.com`)
  await platform.db.query("update team set name = 'Engine <b>&</b> co' where id = $1", [owner.team])
  await platform.db.query(`update "user" set name = 'Ada <i>& co' where id = $1`, [owner.id])
  email = `guest-${guests}@example.com`
  link = await invite()
})

test('the page of an invite names the team, and creates an account that is a member', async () => {
  const browser = await startBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 360, height: 640 } })
    await page.goto(link)
    await page
      .getByText('by \u2068Ada <i>& co\u2069 to the team “\u2068Engine <b>&</b> co\u2069”.')
      .waitFor()
    expect(await page.getByLabel('Account').inputValue()).toBe(email)
    await page.getByLabel('Name').fill(ACCOUNT.name)
    await page.getByLabel('New password').fill(ACCOUNT.new_password)
    await page.getByRole('button', { name: 'Join the team' }).click()
    await page.getByRole('heading', { name: 'You have joined the team' }).waitFor()
  } finally {
    await browser.close()
  }
  expect(await membershipsOf(email)).toEqual([
    { name: ACCOUNT.name, verified: true, team_id: owner.team, role: 'MEMBER' },
  ])
  expect((await mailboxes.login(email, ACCOUNT.new_password)).status).toBe(200)
  expect((await press(link, ACCOUNT)).status, 'the used link').toBe(400)
})

test('the page of an invite does not name the sender once their account is deleted', async () => {
  const { db } = mailboxes.platform
  const otherOwner = await peopleOf(mailboxes.platform)(`other-${guests}@example.com`)
  const join = "insert into membership (user_id, team_id, role) values ($1, $2, 'OWNER')"
  await db.query(join, [otherOwner.id, owner.team])
  await db.query('select from delete_account($1)', [owner.id])
  const page = await (await fetch(link)).text()
  expect(page).toContain('You are invited to the team “\u2068Engine &#60;b&#62;')
  expect((await press(link, ACCOUNT)).status).toBe(200)
})

test('opening the page of an invite creates no account', async () => {
  await fetch(link)
  expect(await membershipsOf(email)).toEqual([])
})

test('the new member gets the role of the invite', async () => {
  await mailboxes.platform.db.query("update invite set role = 'ADMIN' where email = $1", [email])
  await press(link, ACCOUNT)
  expect(await membershipsOf(email)).toMatchObject([{ role: 'ADMIN' }])
})

test.each([
  ['no name', { ...ACCOUNT, name: '  ' }, 'Enter a name'],
  ['too long a name', { ...ACCOUNT, name: 'x'.repeat(129) }, 'Enter a name'],
  ['a name with a line break', { ...ACCOUNT, name: 'a\nb' }, 'Enter a name'],
  ['no password', { ...ACCOUNT, new_password: '' }, 'Enter a password of'],
  ['too short a password', { ...ACCOUNT, new_password: '7-signs' }, 'Enter a password of'],
])('the page of an invite reports %s and keeps the entered name', async (_what, fields, words) => {
  const name = fields.name.trim() === '' ? '' : `<b>"${fields.name}`
  const { status, text } = await press(link, { ...fields, name })
  expect(status).toBe(400)
  expect(text).toContain(words)
  expect(text).not.toContain('<b>"')
  expect(text).toContain(name && '&#60;b&#62;&#34;')
  expect(await membershipsOf(email)).toEqual([])
})

describe('simultaneous changes cannot break an invite without an account', () => {
  test('one of five simultaneous submissions creates the account', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => press(link, ACCOUNT)))
    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, 400, 400, 400, 400])
    expect(await membershipsOf(email)).toHaveLength(1)
  })

  test('the page asks for the password of an account that signed up at the same moment', async () => {
    const { db } = mailboxes.platform
    await db.query('begin')
    await db.query(
      `insert into "user" (email, name, password_hash) values ($1, 'Somebody', 'not a hash')`,
      [email],
    )
    const answer = press(link, ACCOUNT)
    await someoneWaits(mailboxes.platform, 'sign_up_and_join')
    await db.query('commit')
    const { status, text } = await answer
    expect(status).toBe(400)
    expect(text).toContain('There is already an account with your e-mail address')
    expect(await membershipsOf(email)).toMatchObject([{ name: 'Somebody', verified: false }])
    expect((await press(link, { new_password: 'of-the-guest' })).status).toBe(200)
    expect(await membershipsOf(email)).toMatchObject([{ verified: true, team_id: owner.team }])
  })

  test.each([
    ['withdrawn', 'delete from invite where email = $1'],
    ['expired', 'update invite set expires_at = now() where email = $1'],
  ])('no account is created if the invite is %s at the same moment', async (_what, change) => {
    const { db } = mailboxes.platform
    await db.query('begin')
    await db.query(change, [email])
    const answer = press(link, ACCOUNT)
    await someoneWaits(mailboxes.platform, 'sign_up_and_join')
    await db.query('commit')
    const { status, text } = await answer
    expect(status).toBe(400)
    expect(text).toContain('This link no longer works')
    expect(await membershipsOf(email)).toEqual([])
  })

  test('no account is created if the team is deleted at the same moment', async () => {
    const { db } = mailboxes.platform
    await db.query('begin')
    await db.query('select from team where id = $1 for update', [owner.team])
    const answer = press(link, ACCOUNT)
    await someoneWaits(mailboxes.platform, 'sign_up_and_join')
    await db.query('select from delete_account($1)', [owner.id])
    await db.query('commit')
    expect((await answer).text).toContain('This link no longer works')
    expect(await membershipsOf(email)).toEqual([])
  })
})

async function invite(): Promise<string> {
  const query =
    'mutation ($team: String!, $emails: [String!]!) { invite_team_members(team_id: $team, emails: $emails) { emails } }'
  await owner.graphql(query, { team: owner.team, emails: [email] })
  return mailboxes.linkTo(email, 'accept-invite')
}

async function membershipsOf(address: string) {
  const { rows } = await mailboxes.platform.db.query(
    `select "user".name, email_verified_at is not null as verified, team_id, role
    from "user" left join membership on user_id = "user".id where email = $1`,
    [address],
  )
  return rows
}
