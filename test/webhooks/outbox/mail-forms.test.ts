import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../local/process/free-port.ts'
import { inviteMail } from '../../../webhooks/invites/invite-mail.ts'
import { createMailer } from '../../../webhooks/mail/mailer.ts'
import { writeMail } from '../../../webhooks/mail/write-mail.ts'
import {
  type AccountMail,
  accountMail,
  linkLifetimeMs,
} from '../../../webhooks/mailed-links/account-mails.ts'
import { startBrowser } from '../../support/chromium.ts'
import { smtpServer } from '../../support/webhooks/smtp-server.ts'

// Each mail is sent as plain text and as HTML.

const FACTS = {
  id: 'mail_1',
  to: 'ada@example.com',
  baseUrl: 'https://id.example',
  token: 't'.repeat(43),
  actor: 'grace@example.com',
  team: 'team_1',
}
const KINDS: AccountMail[] = [
  'verify_email',
  'reset_password',
  'confirm_old_address',
  'confirm_new_address',
  'password_changed',
  'address_changed',
  'team_deleted',
  'owner_removed',
  'owner_demoted',
]
const MESSAGES = [
  ...KINDS.map((kind) => [kind, accountMail(kind, FACTS), linkLifetimeMs(kind) !== null] as const),
  ['invite', inviteMail(FACTS), true] as const,
]

let browser: Awaited<ReturnType<typeof startBrowser>>

beforeAll(async () => {
  browser = await startBrowser()
})
afterAll(() => browser.close())

describe.each(MESSAGES)(
  'the mail %s has a text and an HTML form',
  (_kind, { subject, text, html }, hasLink) => {
    test('both forms of the mail contain the same words', async () => {
      const { words } = await readRendered(html)
      const button = hasLink ? await buttonOf(html) : ''
      expect(words).toBe(squeeze(`Personhood ${subject} ${withButton(text, button)}`))
    })

    test('the mail has its link as a button, in the HTML text and in the plain text, if it has a link', async () => {
      const { links } = await readRendered(html)
      const [url] = /https:\S+/.exec(text) ?? []
      expect(links).toEqual(hasLink ? [url, url] : [])
      if (hasLink) expect(url).toMatch(/^https:\/\/id\.example\/api\/v1\/[a-z-]+\?token=t{43}$/)
    })

    test('the mail contains its style, loads nothing, and declares light and dark mode', () => {
      expect(html).toContain('<meta name="color-scheme" content="light dark">')
      expect(html).not.toMatch(/var\(|light-dark\(|undefined|<(script|img|link|style)|url\(/)
      expect(html).toContain('background: #f6f7f9')
    })
  },
)

test.each([
  '<b>bold</b>',
  '"><img src=x onerror=alert(1)>',
  "' onclick='alert(1)",
  '&lt;',
  '\u202eabc',
])('markup in the texts of a mail is escaped: %s', async (hostile) => {
  const link = { url: `https://id.example/?a=${hostile}`, text: hostile }
  const words = { subject: hostile, before: hostile, link, after: hostile }
  const { text, html } = writeMail(FACTS, words)
  const renderedMail = await readRendered(html)
  expect(renderedMail.words).toBe(squeeze(`Personhood ${hostile} ${withButton(text, hostile)}`))
  expect(renderedMail.elements).toEqual(['a', 'div', 'h1', 'p'])
  expect(renderedMail.handlers).toBe(0)
})

test('the plain text and the HTML of a mail both arrive', async () => {
  const smtp = smtpServer(await freePort())
  await smtp.start()
  const post = createMailer({
    url: smtp.url,
    from: 'a@b.example',
    concurrency: 1,
    timeoutMs: 10_000,
  })
  const mail = accountMail('verify_email', FACTS)
  await post.send(mail)
  const parsedMail = await PostalMime.parse(smtp.received[0]?.source ?? '')
  expect(parsedMail.text?.trim()).toBe(mail.text.trim())
  expect(parsedMail.html?.trim()).toBe(mail.html.trim())
  post.close()
  await smtp.stop()
})

/** Reads what a browser shows of a mail. */
async function readRendered(html: string) {
  const page = await browser.newPage()
  await page.setContent(html)
  const rendered = await page.evaluate<Rendered>(RENDERED_SCRIPT)
  await page.close()
  return { ...rendered, words: squeeze(rendered.words) }
}

type Rendered = { words: string; links: string[]; elements: string[]; handlers: number }

const RENDERED_SCRIPT = `(() => {
  const all = [...document.body.querySelectorAll('*')]
  const names = all.flatMap((each) => each.getAttributeNames())
  return {
    words: document.body.textContent,
    links: [...document.links].map(({ href }) => href),
    elements: [...new Set(all.map(({ localName }) => localName))].sort(),
    handlers: names.filter((name) => name.startsWith('on')).length,
  }
})()`

async function buttonOf(html: string): Promise<string> {
  const page = await browser.newPage()
  await page.setContent(html)
  const text = await page.locator('a').first().textContent()
  await page.close()
  return text ?? ''
}

/** Adds the text of the button before the address in the plain text. */
function withButton(text: string, button: string): string {
  return text.replace(/https:/, () => `${button} https:`)
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
