import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../lib/process/free-port.ts'
import { startBrowser, textAsSeen } from '../../support/chromium.ts'
import { deliverAll } from '../../support/webhooks/mailboxes.ts'
import {
  type Person,
  peopleOf,
  someoneWaits,
  whileDeleting,
} from '../../support/webhooks/people.ts'
import { smtpServer, tokenIn } from '../../support/webhooks/smtp-server.ts'
import {
  INTERNAL_SECRET,
  startTestPlatform,
  type TestPlatform,
} from '../../support/webhooks/start-platform.ts'

let platform: TestPlatform
let smtp: ReturnType<typeof smtpServer>
let person: ReturnType<typeof peopleOf>
let owner: Person
let guest: Person

beforeAll(async () => {
  smtp = smtpServer(await freePort())
  await smtp.start()
  platform = await startTestPlatform({ SMTP_URL: smtp.url }, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
  }))
  person = peopleOf(platform)
})
afterAll(async () => {
  await platform.stop()
  await smtp.stop()
})
beforeEach(async () => {
  // Nobody waits for the hundreds of messages that an earlier test has queued.
  await platform.db.query('delete from mail where sent_at is null')
  owner = await person()
  guest = await person()
})

describe('an owner invites', () => {
  test('people, whether they have an account or not', async () => {
    const emails = [guest.email, `Nobody-${guest.email} `]
    const invited = [guest.email, `nobody-${guest.email}`]
    expect(await invite(emails)).toEqual({ data: { invite_team_members: { emails: invited } } })
    const { data } = await owner.graphql('{ invite(order_by: {email: asc}) { email role } }')
    expect(data.invite.map(({ email }: { email: string }) => email).toSorted()).toEqual(
      invited.toSorted(),
    )
  })

  test('but not who is a member, and nobody twice', async () => {
    const answer = await invite([owner.email, guest.email, guest.email.toUpperCase()])
    expect(answer.data.invite_team_members.emails).toEqual([guest.email])
    expect((await invite([owner.email])).data.invite_team_members.emails).toEqual([])
  })

  test('at most a hundred in a day, even taken back ones', async () => {
    const emails = Array.from({ length: 20 }, (_, i) => `${i}@example.com`)
    for (let round = 0; round < 5; round++) await invite(emails.map((email) => `${round}-${email}`))
    await owner.graphql('mutation { delete_invite(where: {}) { affected_rows } }')
    expect((await invite(emails)).data.invite_team_members.emails).toEqual([])
  })

  test('and one mailbox gets at most one message an hour, even when an invite is taken back', async () => {
    await inviteAndRead()
    await invite([guest.email])
    await owner.graphql('mutation { delete_invite(where: {}) { affected_rows } }')
    expect((await invite([guest.email])).data.invite_team_members.emails).toEqual([guest.email])
    await deliverAll(platform)
    expect(invitesTo(guest.email)).toHaveLength(1)
    await platform.db.query('delete from audit')
    await platform.db.query("update mail set created_at = now() - interval '2 hours'")
    expect(await inviteAndRead()).not.toBe('')
  })

  test('from all of their teams no more than from one', async () => {
    const [second, third] = [await teamOf(owner), await teamOf(owner)]
    const teams = [owner.team, second, third]
    const inTurn = async (email: string) => {
      for (const team of teams) await invite([email], owner, team)
    }
    smtp.received.length = 0
    await Promise.all(teams.map((team) => invite([guest.email], owner, team)))
    await deliverAll(platform)
    expect(invitesTo(guest.email)).toHaveLength(1)
    await platform.db.query('delete from audit')
    await platform.db.query("update mail set created_at = now() - interval '2 hours'")
    await inTurn(guest.email)
    await deliverAll(platform)
    expect(invitesTo(guest.email)).toHaveLength(2)
    const emails = Array.from({ length: 20 }, (_, i) => `${i}@example.com`)
    for (let round = 0; round < 5; round++) await invite(emails.map((email) => `${round}-${email}`))
    expect((await invite(emails, owner, second)).data.invite_team_members.emails).toEqual([])
  })

  test.each([
    ['no address', []],
    ['too many', Array.from({ length: 21 }, (_, i) => `${i}@example.com`)],
    ['something else', ['nobody']],
    ['a second header', ['a@example.com\nBcc: b@example.com']],
    ['two in one', ['a@example.com,b@example.com']],
    ['what PostgreSQL does not take', ['a\u0000@example.com']],
  ])('but not %s', async (_name, emails) => {
    expect((await invite(emails)).errors[0].extensions.code).toBe('validation_error')
  })
})

test.each(['ADMIN', 'MEMBER', null])('a %s does not invite', async (role) => {
  const insert = 'insert into membership (user_id, team_id, role) values ($1, $2, $3)'
  if (role) await platform.db.query(insert, [guest.id, owner.team, role])
  const answer = await invite(['a@example.com'], guest)
  expect(answer.errors[0].extensions.code).toBe('permission_denied')
})

describe('an invite', () => {
  test('is accepted once, by the person it was sent to, however many try at one time', async () => {
    const token = await inviteAndRead()
    const stranger = await person()
    expect((await accept(stranger, token)).errors[0].extensions.code).toBe('not_found')
    const answers = await Promise.all(Array.from({ length: 6 }, () => accept(guest, token)))
    const codes = answers.map(({ errors }) => errors?.[0].extensions.code ?? 'joined')
    expect(codes.toSorted()).toEqual(['joined', ...Array(5).fill('not_found')])
    expect(await rolesIn(owner.team)).toEqual({ [owner.id]: 'OWNER', [guest.id]: 'MEMBER' })
  })

  test('is not for an account that is deleted in the same moment, but for the next one of that address', async () => {
    const token = await inviteAndRead()
    const answer = await whileDeleting(platform, guest, () => accept(guest, token))
    expect(answer.errors[0].extensions.code).toBe('not_found')
    const next = await person(guest.email)
    expect(await accept(next, token)).toEqual({ data: { accept_invite: { team_id: owner.team } } })
  })

  test('is not for a team that is deleted in the same moment', async () => {
    const token = await inviteAndRead()
    // The deletion is a little behind: each has begun, and neither may hold what the other needs.
    await platform.db.query('begin')
    await platform.db.query('select from team where id = $1 for update', [owner.team])
    const answer = accept(guest, token)
    await someoneWaits(platform)
    await platform.db.query('select from delete_account($1)', [owner.id])
    await platform.db.query('commit')
    expect((await answer).errors[0].extensions.code).toBe('not_found')
  })

  test('is over after 7 days, and is gone after the next clean-up', async () => {
    const token = await inviteAndRead()
    await platform.db.query('update invite set expires_at = now() where team_id = $1', [owner.team])
    expect((await accept(guest, token)).errors[0].extensions.code).toBe('not_found')
    expect((await press(token)).status).toBe(400)
    await platform.post('/api/_expire', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
    const { rowCount } = await platform.db.query('select from invite where team_id = $1', [
      owner.team,
    ])
    expect(rowCount).toBe(0)
  })

  test('that was taken back is worth nothing', async () => {
    const token = await inviteAndRead()
    await owner.graphql('mutation { delete_invite(where: {}) { affected_rows } }')
    expect((await accept(guest, token)).errors[0].extensions.code).toBe('not_found')
  })

  test.each(['', 'guess', 'A'.repeat(43), '\u0000'])('cannot be guessed: %j', async (token) => {
    expect((await accept(guest, token)).errors[0].extensions.code).toMatch(
      /not_found|validation_error/,
    )
    expect((await press(token)).status).toBe(400)
  })

  test('does not make an owner less than they are', async () => {
    const token = await inviteAndRead()
    await platform.db.query(
      "insert into membership (user_id, team_id, role) values ($1, $2, 'OWNER')",
      [guest.id, owner.team],
    )
    expect(await accept(guest, token)).toEqual({ data: { accept_invite: { team_id: owner.team } } })
    expect(await rolesIn(owner.team)).toMatchObject({ [guest.id]: 'OWNER' })
  })

  test('has a token of which only the hash is stored, and says nothing that its sender chose', async () => {
    await platform.db.query("update team set name = 'Win a prize' where id = $1", [owner.team])
    const token = await inviteAndRead()
    const { rows } = await platform.db.query('select invite_token::text as row from invite_token')
    expect(rows.some(({ row }) => row.includes(token))).toBe(false)
    expect(smtp.received.at(-1)?.source).not.toContain('prize')
  })
})

describe('the page behind the link', () => {
  test('joins the account of the invited address by a button, not by being looked at', async () => {
    await platform.db.query("update team set name = 'A <b>team</b> & co' where id = $1", [
      owner.team,
    ])
    const token = await inviteAndRead()
    const browser: Browser = await startBrowser()
    try {
      const page = await browser.newPage({ viewport: { width: 360, height: 640 } })
      await page.goto(`${platform.baseUrl}/api/v1/accept-invite?token=${token}`)
      await page
        .getByText(
          'You are invited by \u2068Person\u2069 to the team “\u2068A <b>team</b> & co\u2069”.',
        )
        .waitFor()
      expect(await rolesIn(owner.team)).toEqual({ [owner.id]: 'OWNER' })
      await page.getByRole('button', { name: 'Join the team' }).press('Enter')
      await page.getByRole('heading', { name: 'You are in the team' }).waitFor()
      expect(page.url()).not.toContain('token')
    } finally {
      await browser.close()
    }
    expect(await rolesIn(owner.team)).toEqual({ [owner.id]: 'OWNER', [guest.id]: 'MEMBER' })
    expect((await press(token)).status).toBe(400)
  })

  test.each(['\u202eabc', '\u2069\u202eabc'])(
    'turns no text around but the name of a team that does so: %j',
    async (name) => {
      await platform.db.query('update team set name = $2 where id = $1', [owner.team, name])
      const token = await inviteAndRead()
      const browser: Browser = await startBrowser()
      try {
        const page = await browser.newPage()
        await page.goto(`${platform.baseUrl}/api/v1/accept-invite?token=${token}`)
        expect(await textAsSeen(page, 'p')).toBe('You are invited by Person to the team “cba”.')
      } finally {
        await browser.close()
      }
    },
  )

  test('does not let in who signed up with an address that is not theirs', async () => {
    const email = `squatted-${guest.email}`
    const body = { email, password: 'of-the-attacker', name: 'Person', team_name: 'Team' }
    const { body: attacker } = await platform.post('/api/v1/signup', body)
    const authorization = `Bearer ${Object(attacker).token}`
    const token = await inviteAndRead(email)
    const page = await fetch(`${platform.baseUrl}/api/v1/accept-invite?token=${token}`)
    expect(await page.text()).toContain('There is an account with your e-mail address')
    expect((await press(token)).status, 'no password').toBe(400)
    expect((await press(token, { password: 'guess-guess' })).status).toBe(400)
    expect(await rolesIn(owner.team)).toEqual({ [owner.id]: 'OWNER' })
    const joined = await press(token, { new_password: 'of-the-guest' })
    expect(joined.text).toContain('You are in the team')
    expect(Object.values(await rolesIn(owner.team)).toSorted()).toEqual(['MEMBER', 'OWNER'])
    const self = { query: '{ team { id } }' }
    expect((await platform.post('/v1/graphql', self, { authorization })).status).toBe(401)
    expect((await platform.post('/api/v1/login', body)).status).toBe(400)
    const own = { ...body, password: 'of-the-guest' }
    expect((await platform.post('/api/v1/login', own)).status).toBe(200)
  })
})

async function teamOf({ graphql }: Person): Promise<string> {
  const { data } = await graphql('mutation { create_team(name: "Another") { team_id } }')
  return data.create_team.team_id
}

async function invite(emails: readonly string[], caller = owner, team = owner.team) {
  const query =
    'mutation ($team: String!, $emails: [String!]!) { invite_team_members(team_id: $team, emails: $emails) { emails } }'
  return caller.graphql(query, { team, emails })
}

async function accept(caller: Person, token: string) {
  const query = 'mutation ($token: String!) { accept_invite(token: $token) { team_id } }'
  return caller.graphql(query, { token })
}

/** The token in the mail to a guest. */
async function inviteAndRead(email = guest.email): Promise<string> {
  smtp.received.length = 0
  await invite([email])
  await deliverAll(platform)
  const mail = invitesTo(email).at(-1)
  return mail ? tokenIn(mail) : ''
}

function invitesTo(email: string) {
  return smtp.received.filter(
    ({ to, source }) => to.includes(email) && source.includes('accept-invite'),
  )
}

/** What the page's form sends. */
async function press(token: string, entered: Record<string, string> = {}) {
  const body = new URLSearchParams({ token, ...entered })
  const response = await fetch(`${platform.baseUrl}/api/v1/accept-invite`, { method: 'POST', body })
  return { status: response.status, text: await response.text() }
}

async function rolesIn(team: string): Promise<Record<string, string>> {
  const { rows } = await platform.db.query(
    'select user_id, role from membership where team_id = $1',
    [team],
  )
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}
