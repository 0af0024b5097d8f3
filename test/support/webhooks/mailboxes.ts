import { expect } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { INTERNAL_SECRET } from './platform-environment.ts'
import { smtpServer, tokenIn } from './smtp-server.ts'
import { startTestPlatform, type TestPlatform } from './start-platform.ts'

export const PASSWORD = 'difference'

type FormFields = { password?: string; new_password?: string; name?: string }

/** Starts a platform with a mail server, for tests in which people open the links in their mails. */
export async function startWithMailboxes(environment: Record<string, string> = {}) {
  const smtp = smtpServer(await freePort())
  await smtp.start()
  const platform = await startTestPlatform({ SMTP_URL: smtp.url, ...environment }, (baseUrl) => ({
    WEBHOOKS_URL: baseUrl,
  }))
  let people = 0
  const mails = async () => {
    await deliverAll(platform)
    return smtp.received
  }
  const signup = async (email = `mailbox-${++people}@example.com`, password = PASSWORD) => {
    const body = { email, password, name: 'Person', team_name: 'Team' }
    const reply = await platform.post('/api/v1/signup', body)
    return { email, token: String(Object(reply.body).token) }
  }
  return {
    platform,
    smtp,
    mails,
    /** Signs a person up, by default with a new address. */
    signup,
    /** Returns the link to this page in the newest mail to an address. */
    async linkTo(email: string, page: string): Promise<string> {
      const mail = (await mails()).findLast(
        ({ to, source }) => to.includes(email) && source.includes(page),
      )
      return `${platform.baseUrl}/api/v1/${page}?token=${mail ? tokenIn(mail) : 'none'}`
    },
    login: (email: string, password: string, headers = {}) =>
      platform.post('/api/v1/login', { email, password }, headers),
    graphql: (token: string, query: string, variables = {}) =>
      graphql(platform, token, query, variables),
    async isVerified(email: string): Promise<boolean> {
      const { rows } = await platform.db.query(
        'select email_verified_at is not null as verified from "user" where email = $1',
        [email],
      )
      return rows[0].verified
    },
    async stop() {
      await platform.stop()
      await smtp.stop()
    },
  }
}

/**
 * Empties the outbox, including mails that an event trigger leased and did not send. Retries a failed mail 20 seconds after
 * the attempt instead of minutes later. By then the attempt has ended, after at most three times SMTP_TIMEOUT_MS.
 */
export async function deliverAll({ post, db }: TestPlatform): Promise<void> {
  const unsent = async () => {
    await db.query(`update mail set due_at = now() where sent_at is null
      and due_at - interval '2 minutes' * 2 ^ (attempts - 1) < now() - interval '20 seconds' and attempts > 0`)
    await post('/api/_mail', {}, { authorization: `Bearer ${INTERNAL_SECRET}` })
    return (await db.query('select kind, attempts, due_at from mail where sent_at is null')).rows
  }
  await expect.poll(unsent, { timeout: 90_000, interval: 100 }).toEqual([])
}

export type Mailboxes = Awaited<ReturnType<typeof startWithMailboxes>>

async function graphql(platform: TestPlatform, token: string, query: string, variables: object) {
  const headers = { authorization: `Bearer ${token}` }
  const { status, body } = await platform.post('/v1/graphql', { query, variables }, headers)
  const { data, errors } = Object(body)
  return { status, data, code: errors?.[0]?.extensions?.code }
}

/** Submits the form of the page behind a link. */
export async function press(
  link: string,
  fields: FormFields = {},
  headers: Record<string, string> = {},
) {
  const { origin, pathname, searchParams } = new URL(link)
  const body = new URLSearchParams({ ...Object.fromEntries(searchParams), ...fields })
  const response = await fetch(origin + pathname, { method: 'POST', body, headers })
  return { status: response.status, text: await response.text(), headers: response.headers }
}
