import { createServer } from 'node:http'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'
import { startBrowser } from '../../../../test/support/chromium.ts'
import { createMailer, type Mailer } from '../../../../webhooks/mail/mailer.ts'
import { type MailCatcher, startMailCatcher } from '../../parts/mail-catcher.ts'

let catcher: MailCatcher
let post: Mailer

beforeAll(async () => {
  const ports = { SMTP_PORT: await freePort(), MAIL_PAGE_PORT: await freePort() }
  catcher = await startMailCatcher(ports)
  post = createMailer({
    url: catcher.smtpUrl,
    from: 'a@b.example',
    concurrency: 1,
    timeoutMs: 10_000,
  })
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
  await post.send({ id: '1', to: 'zoe@example.com', subject: 'Verify', text, html: '<p>Hello</p>' })
  const html = await page()
  expect(html).toContain('to zoe@example.com')
  expect(html).toContain('Good evening, Zoë:')
  expect(html).toContain(`<a href="${link}">`)
})

test('markup in a message stays text, and the latest message is first', async () => {
  const text = '<script>alert(1)</script>'
  await post.send({ id: '2', to: 'eve@example.com', subject: '<b>Hello</b>', text, html: text })
  const html = await page()
  expect(html).not.toMatch(/<script|<b>/)
  expect(html.indexOf('eve@example.com')).toBeLessThan(html.indexOf('zoe@example.com'))
})

test('of a message in several parts the plain text is shown, whatever its encoding', async () => {
  const text = 'Grüße, Zoë: http://localhost:3000/verify?token=y&again=1'
  const parts = [
    'subject: =?utf-8?B?R3LDvMOfZQ==?=',
    'mime-version: 1.0',
    'content-type: multipart/alternative; boundary=part',
    '',
    '--part',
    'content-type: text/plain; charset=utf-8',
    'content-transfer-encoding: base64',
    '',
    Buffer.from(text).toString('base64'),
    '--part',
    'content-type: text/html',
    '',
    '<p>Not <b>this</b> one.</p>',
    '--part--',
    '',
  ]
  const html = await pageAfter(parts)
  expect(html).toContain('<h2>Grüße</h2>')
  expect(html).toContain('Grüße, Zoë: <a href="http://localhost:3000/verify?token=y&#38;again=1">')
  expect(html).not.toMatch(/Not <b>|--part/)
})

test('a text in another character set is decoded, and HTML alone is shown as its source', async () => {
  const latin = Buffer.from('Zoë', 'latin1').toString('base64')
  const type = 'content-type: text/plain; charset=iso-8859-1'
  const encoding = 'content-transfer-encoding: base64'
  expect(await pageAfter([type, encoding, '', latin])).toMatch(/\(no subject\).*?>Zoë/s)
  const source = ['subject: Markup', 'content-type: text/html', '', '<b>bold</b>']
  expect(await pageAfter(source)).toContain('&#60;b&#62;bold&#60;/b&#62;')
})

test('the HTML of a message is shown in a box: it is styled, runs nothing, and its links open elsewhere', async () => {
  const asked: string[] = []
  const port = await freePort()
  const elsewhere = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  }).listen(port, '127.0.0.1')
  const browser = await startBrowser()
  try {
    const markup = `<!doctype html><html><head></head><body>
      <p style="color: rgb(1, 2, 3)">Hello</p><a href="http://example.com/">Go</a>
      <script>document.body.textContent = 'run'; parent.document.title = 'taken'</script>
      <img src="http://127.0.0.1:${port}/pixel" onerror="document.body.textContent = 'run'"></body></html>`
    await pageAfter(['subject: Styled', 'content-type: text/html', '', markup])
    const page = await browser.newPage()
    await page.goto(catcher.pageUrl)
    const newest = page.getByRole('article').first()
    await newest.getByText('As programs for mail show it').click()
    const box = newest.frameLocator('iframe')
    await box.getByText('Hello').waitFor()
    const colour = await page
      .frames()[1]
      ?.evaluate('getComputedStyle(document.body.firstElementChild).color')
    expect(colour).toBe('rgb(1, 2, 3)')
    expect(await page.title()).toBe('Mail')
    expect(await box.locator('base').getAttribute('target')).toBe('_blank')
    expect(asked).toEqual([])
    const own = await fetch(
      (await newest.locator('iframe').getAttribute('src'))?.replace(/^/, catcher.pageUrl) ?? '',
    )
    expect(own.headers.get('content-security-policy')).toContain('sandbox allow-popups')
  } finally {
    await browser.close()
    elsewhere.close()
  }
})

test('the page allows its own style and nothing else', async () => {
  const { headers } = await fetch(catcher.pageUrl)
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:; frame-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'$/,
  )
})

/** Sends a message as it is, line by line, and reads the page. */
async function pageAfter(lines: readonly string[]): Promise<string> {
  const transport = createTransport(catcher.smtpUrl)
  const envelope = { from: 'a@b.example', to: 'eve@example.com' }
  await transport.sendMail({ envelope, raw: lines.join('\r\n') })
  return page()
}

async function page(): Promise<string> {
  return (await fetch(catcher.pageUrl)).text()
}
