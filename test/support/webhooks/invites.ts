import { freePort } from '../../../local/process/free-port.ts'
import { deliverAll } from './mailboxes.ts'
import { type Person, peopleOf } from './people.ts'
import { smtpServer, tokenIn } from './smtp-server.ts'
import { startTestPlatform } from './start-platform.ts'

/** Starts a platform with a mail server, for tests in which people invite each other. */
export async function startWithInvites() {
  const smtp = smtpServer(await freePort())
  await smtp.start()
  const platform = await startTestPlatform({ SMTP_URL: smtp.url }, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
  }))
  const mailsTo = (email: string) =>
    smtp.received.filter(({ to, source }) => to.includes(email) && source.includes('accept-invite'))
  return {
    platform,
    smtp,
    person: peopleOf(platform),
    /** Lists the invites that an address received. */
    mailsTo,
    /** Invites an address to the owner's team, and returns the token of the mailed link. */
    async inviteAndRead(owner: Person, email: string): Promise<string> {
      smtp.received.length = 0
      await invite(owner, [email])
      await deliverAll(platform)
      const mail = mailsTo(email).at(-1)
      return mail ? tokenIn(mail) : ''
    },
    /** Submits the form of the page behind the link. */
    async press(token: string, fields: Record<string, string> = {}) {
      const body = new URLSearchParams({ token, ...fields })
      const url = `${platform.baseUrl}/api/v1/accept-invite`
      const response = await fetch(url, { method: 'POST', body })
      return { status: response.status, text: await response.text() }
    },
    async rolesIn(team: string): Promise<Record<string, string>> {
      const { rows } = await platform.db.query(
        'select user_id, role from membership where team_id = $1',
        [team],
      )
      return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
    },
    async stop() {
      await platform.stop()
      await smtp.stop()
    },
  }
}

/** Invites people to a team, by default the team that the caller created at signup. */
export function invite(caller: Person, emails: readonly string[], team = caller.team) {
  const query =
    'mutation ($team: String!, $emails: [String!]!) { invite_team_members(team_id: $team, emails: $emails) { emails } }'
  return caller.graphql(query, { team, emails })
}

/** Invites people to the caller's team, and returns the outcome for each address. */
export async function inviteWithOutcomes(caller: Person, emails: readonly string[]) {
  const query =
    'mutation ($team: String!, $emails: [String!]!) { invite_team_members(team_id: $team, emails: $emails) { outcomes { email outcome } } }'
  const { data } = await caller.graphql(query, { team: caller.team, emails })
  const outcomes: { email: string; outcome: string }[] = data.invite_team_members.outcomes
  return Object.fromEntries(outcomes.map(({ email, outcome }) => [email, outcome]))
}

/** Accepts an invite as a logged-in user. */
export function accept(caller: Person, token: string) {
  const query = 'mutation ($token: String!) { accept_invite(token: $token) { team_id } }'
  return caller.graphql(query, { token })
}
