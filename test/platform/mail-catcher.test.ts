import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../platform/parts/free-ports.ts'
import { type MailCatcher, startMailCatcher } from '../../platform/parts/mail-catcher.ts'
import { type Mailer, mailer } from '../../webhooks/mail/mailer.ts'

let catcher: MailCatcher
let post: Mailer

beforeAll(async () => {
  const ports = { SMTP_PORT: await freePort(), MAIL_PAGE_PORT: await freePort() }
  catcher = await startMailCatcher(ports)
  post = mailer({ url: catcher.smtpUrl, from: 'a@b.example', concurrency: 1, timeoutMs: 10_000 })
})
afterAll(async () => {
  post.close()
  await catcher.stop()
})

test('the page is empty before there is mail', async () => {
  expect(await page()).toContain('Nothing yet')
})

test('a message is shown with its receiver, its text as it was written, and its links', async () => {
  const link = `http://localhost:3000/api/v1/verify-email?token=${'x='.repeat(50)}`
  const text = `Good evening, Zoë:\n\n${link}\n`
  await post.send({ id: '1', to: 'zoe@example.com', subject: 'Verify', text })
  const html = await page()
  expect(html).toContain('to zoe@example.com')
  expect(html).toContain('Good evening, Zoë:')
  expect(html).toContain(`<a href="${link}">`)
})

test('markup in a message stays text, and the latest message is first', async () => {
  const text = '<script>alert(1)</script>'
  await post.send({ id: '2', to: 'eve@example.com', subject: '<b>Hello</b>', text })
  const html = await page()
  expect(html).not.toMatch(/<script|<b>/)
  expect(html.indexOf('eve@example.com')).toBeLessThan(html.indexOf('zoe@example.com'))
})

async function page(): Promise<string> {
  return (await fetch(catcher.pageUrl)).text()
}
