import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  accept,
  invite,
  inviteWithOutcomes,
  startWithInvites,
} from '../../support/webhooks/invites.ts'
import { deliverAll } from '../../support/webhooks/mailboxes.ts'
import { type Person, someoneWaits, whileDeleting } from '../../support/webhooks/people.ts'
import { INTERNAL_SECRET } from '../../support/webhooks/platform-environment.ts'

let scene: Awaited<ReturnType<typeof startWithInvites>>
let owner: Person
let guest: Person

beforeAll(async () => {
  scene = await startWithInvites()
})
afterAll(() => scene.stop())
beforeEach(async () => {
  // The hundreds of messages that an earlier test has queued would delay this test.
  await scene.platform.db.query('delete from mail where sent_at is null')
  owner = await scene.person()
  guest = await scene.person()
})

describe('an owner invites people to a team', () => {
  test('an owner invites people with and without an account', async () => {
    const emails = [guest.email, `Nobody-${guest.email} `]
    const expectedEmails = [guest.email, `nobody-${guest.email}`]
    expect(await invite(owner, emails)).toEqual({
      data: { invite_team_members: { emails: expectedEmails } },
    })
    const { data } = await owner.graphql('{ invite(order_by: {email: asc}) { email role } }')
    expect(data.invite.map(({ email }: { email: string }) => email).toSorted()).toEqual(
      expectedEmails.toSorted(),
    )
  })

  test('a member is not invited, and an address that is listed twice gets one invite', async () => {
    const answer = await invite(owner, [owner.email, guest.email, guest.email.toUpperCase()])
    expect(answer.data.invite_team_members.emails).toEqual([guest.email])
    expect((await invite(owner, [owner.email])).data.invite_team_members.emails).toEqual([])
  })

  test('an owner sends at most a hundred invites a day, including withdrawn invites', async () => {
    const emails = Array.from({ length: 20 }, (_, i) => `${i}@example.com`)
    for (let round = 0; round < 5; round++)
      await invite(
        owner,
        emails.map((email) => `${round}-${email}`),
      )
    await owner.graphql('mutation { delete_invite(where: {}) { affected_rows } }')
    expect((await invite(owner, emails)).data.invite_team_members.emails).toEqual([])
  })

  test('a mailbox gets at most one invite an hour, even if an invite is withdrawn', async () => {
    await scene.inviteAndRead(owner, guest.email)
    await invite(owner, [guest.email])
    await owner.graphql('mutation { delete_invite(where: {}) { affected_rows } }')
    expect((await invite(owner, [guest.email])).data.invite_team_members.emails).toEqual([
      guest.email,
    ])
    await deliverAll(scene.platform)
    expect(scene.mailsTo(guest.email)).toHaveLength(1)
    await scene.platform.db.query('delete from audit')
    await scene.platform.db.query("update mail set created_at = now() - interval '2 hours'")
    expect(await scene.inviteAndRead(owner, guest.email)).not.toBe('')
  })

  test('the response says for each address whether a mail is sent, and why not', async () => {
    const both = [owner.email, guest.email, guest.email.toUpperCase()]
    expect(await inviteWithOutcomes(owner, both)).toEqual({
      [owner.email]: 'member',
      [guest.email]: 'sent',
    })
    const another = `another-${guest.email}`
    expect(await inviteWithOutcomes(owner, [guest.email, another])).toEqual({
      [guest.email]: 'recently_sent',
      [another]: 'sent',
    })
    await deliverAll(scene.platform)
    expect(scene.mailsTo(guest.email)).toHaveLength(1)
  })

  test('an open invite is sent again after an hour, and the audit trail lists each mail', async () => {
    const first = await scene.inviteAndRead(owner, guest.email)
    await scene.platform.db.query("update mail set created_at = now() - interval '61 minutes'")
    await scene.platform.db.query("update invite set expires_at = now() + interval '1 day'")
    const second = await scene.inviteAndRead(owner, guest.email)
    expect(second).not.toBe(first)
    expect(await inviteWithOutcomes(owner, [guest.email])).toEqual({
      [guest.email]: 'recently_sent',
    })
    const { data } = await owner.graphql(
      '{ invite { expires_at mailed_at } audit(where: {subject: {_eq: "invite"}}, order_by: {created_at: asc}) { operation actor_id changes } }',
    )
    expect(Date.parse(data.invite[0].expires_at)).toBeGreaterThan(Date.now() + 6 * 86_400_000)
    expect(data.audit).toEqual([
      expect.objectContaining({ operation: 'insert', actor_id: owner.id }),
      {
        operation: 'update',
        actor_id: owner.id,
        changes: { mailed_at: { old: expect.any(String), new: data.invite[0].mailed_at } },
      },
    ])
    expect((await accept(guest, first)).data.accept_invite).toEqual({ team_id: owner.team })
  })

  test('repeated mails count against the hundred invites of a day', async () => {
    const emails = Array.from({ length: 20 }, (_, i) => `${i}@example.com`)
    for (let round = 0; round < 5; round++) {
      const outcomes = await inviteWithOutcomes(owner, emails)
      expect(new Set(Object.values(outcomes))).toEqual(new Set(['sent']))
      await scene.platform.db.query("update mail set created_at = now() - interval '61 minutes'")
    }
    const outcomes = await inviteWithOutcomes(owner, [...emails.slice(1), 'new@example.com'])
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['daily_limit']))
  })

  test('an owner of several teams has the same limits as an owner of one team', async () => {
    const [second, third] = [await teamOf(owner), await teamOf(owner)]
    const teams = [owner.team, second, third]
    const inviteToEachTeam = async (email: string) => {
      for (const team of teams) await invite(owner, [email], team)
    }
    scene.smtp.received.length = 0
    await Promise.all(teams.map((team) => invite(owner, [guest.email], team)))
    await deliverAll(scene.platform)
    expect(scene.mailsTo(guest.email)).toHaveLength(1)
    await scene.platform.db.query('delete from audit')
    await scene.platform.db.query("update mail set created_at = now() - interval '2 hours'")
    await inviteToEachTeam(guest.email)
    await deliverAll(scene.platform)
    expect(scene.mailsTo(guest.email)).toHaveLength(2)
    const emails = Array.from({ length: 20 }, (_, i) => `${i}@example.com`)
    for (let round = 0; round < 5; round++)
      await invite(
        owner,
        emails.map((email) => `${round}-${email}`),
      )
    expect((await invite(owner, emails, second)).data.invite_team_members.emails).toEqual([])
  })

  test.each([
    ['no address', []],
    ['21 addresses', Array.from({ length: 21 }, (_, i) => `${i}@example.com`)],
    ['a word that is no address', ['nobody']],
    ['an address with a second header', ['a@example.com\nBcc: b@example.com']],
    ['two addresses in one text', ['a@example.com,b@example.com']],
    ['an address with a zero byte', ['a\u0000@example.com']],
  ])('an invite of %s is rejected', async (_name, emails) => {
    expect((await invite(owner, emails)).errors[0].extensions.code).toBe('validation_error')
  })
})

test.each(['ADMIN', 'MEMBER', null])(
  'a caller with the role %s cannot invite people',
  async (role) => {
    const insert = 'insert into membership (user_id, team_id, role) values ($1, $2, $3)'
    if (role) await scene.platform.db.query(insert, [guest.id, owner.team, role])
    const answer = await invite(guest, ['a@example.com'], owner.team)
    expect(answer.errors[0].extensions.code).toBe('permission_denied')
  },
)

describe('an invite is accepted once', () => {
  test('an invite is accepted once, by the invited person, even in six simultaneous requests', async () => {
    const token = await scene.inviteAndRead(owner, guest.email)
    const stranger = await scene.person()
    expect((await accept(stranger, token)).errors[0].extensions.code).toBe('not_found')
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => accept(guest, token), 'accept_invite'),
    )
    const codes = answers.map(({ errors }) => errors?.[0].extensions.code ?? 'joined')
    expect(codes.toSorted()).toEqual(['joined', ...Array(5).fill('not_found')])
    expect(await scene.rolesIn(owner.team)).toEqual({ [owner.id]: 'OWNER', [guest.id]: 'MEMBER' })
  })

  test('an account that is being deleted cannot accept an invite, but the next account of that address can', async () => {
    const token = await scene.inviteAndRead(owner, guest.email)
    const answer = await whileDeleting(
      scene.platform,
      guest,
      () => accept(guest, token),
      'accept_invite',
    )
    expect(answer.errors[0].extensions.code).toBe('not_found')
    const nextGuest = await scene.person(guest.email)
    expect(await accept(nextGuest, token)).toEqual({
      data: { accept_invite: { team_id: owner.team } },
    })
  })

  test('an invite to a team that is being deleted cannot be accepted', async () => {
    const token = await scene.inviteAndRead(owner, guest.email)
    // The acceptance begins just before the deletion. The two must not wait for each other.
    await scene.platform.db.query('begin')
    await scene.platform.db.query('select from team where id = $1 for update', [owner.team])
    const answer = accept(guest, token)
    await someoneWaits(scene.platform, 'accept_invite')
    await scene.platform.db.query('select from delete_account($1)', [owner.id])
    await scene.platform.db.query('commit')
    expect((await answer).errors[0].extensions.code).toBe('not_found')
  })

  test('an expired invite cannot be accepted, and the next clean-up deletes it', async () => {
    const token = await scene.inviteAndRead(owner, guest.email)
    await scene.platform.db.query('update invite set expires_at = now() where team_id = $1', [
      owner.team,
    ])
    expect((await accept(guest, token)).errors[0].extensions.code).toBe('not_found')
    expect((await scene.press(token)).status).toBe(400)
    await scene.platform.post('/api/_expire', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
    const { rowCount } = await scene.platform.db.query('select from invite where team_id = $1', [
      owner.team,
    ])
    expect(rowCount).toBe(0)
  })

  test('a withdrawn invite cannot be accepted', async () => {
    const token = await scene.inviteAndRead(owner, guest.email)
    await owner.graphql('mutation { delete_invite(where: {}) { affected_rows } }')
    expect((await accept(guest, token)).errors[0].extensions.code).toBe('not_found')
  })

  test.each(['', 'guess', 'A'.repeat(43), '\u0000'])(
    'the guessed token %j accepts no invite',
    async (token) => {
      expect((await accept(guest, token)).errors[0].extensions.code).toMatch(
        /not_found|validation_error/,
      )
      expect((await scene.press(token)).status).toBe(400)
    },
  )

  test('an invite does not lower the role of an owner', async () => {
    const token = await scene.inviteAndRead(owner, guest.email)
    await scene.platform.db.query(
      "insert into membership (user_id, team_id, role) values ($1, $2, 'OWNER')",
      [guest.id, owner.team],
    )
    expect(await accept(guest, token)).toEqual({ data: { accept_invite: { team_id: owner.team } } })
    expect(await scene.rolesIn(owner.team)).toMatchObject({ [guest.id]: 'OWNER' })
  })

  test("an invite's token is not stored, and the mail of an invite does not contain the team's name", async () => {
    await scene.platform.db.query("update team set name = 'Win a prize' where id = $1", [
      owner.team,
    ])
    const token = await scene.inviteAndRead(owner, guest.email)
    const { rows } = await scene.platform.db.query(
      'select invite_token::text as row from invite_token',
    )
    expect(rows.some(({ row }) => row.includes(token))).toBe(false)
    expect(scene.smtp.received.at(-1)?.source).not.toContain('prize')
  })
})

async function teamOf({ graphql }: Person): Promise<string> {
  const { data } = await graphql('mutation { create_team(name: "Another") { team_id } }')
  return data.create_team.team_id
}
