import { createServer } from 'node:http'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../../../local/process/free-port.ts'
import { startBrowser } from '../../../../test/support/chromium.ts'
import { createMailer, type Mailer } from '../../../../webhooks/mail/mailer.ts'
import { type MailCatcher, startMailCatcher } from '../../parts/mail-catcher.ts'

let catcher: MailCatcher
let mailer: Mailer

beforeAll(async () => {
  const ports = { SMTP_PORT: await freePort(), MAIL_PAGE_PORT: await freePort() }
  catcher = await startMailCatcher(ports)
  mailer = createMailer({
    url: catcher.smtpUrl,
    from: 'a@b.example',
    concurrency: 1,
    timeoutMs: 10_000,
  })
})
afterAll(async () => {
  mailer.close()
  await catcher.stop()
})

test('the page says that there is no mail yet', async () => {
  expect(await page()).toContain('No mail yet')
})

test('the page shows the receiver, the text and the links of a message', async () => {
  const link = `http://localhost:3000/api/v1/verify-email?token=${'x='.repeat(50)}`
  const text = `Good evening, Zoë:\n\n${link}\n`
  await mailer.send({
    id: '1',
    to: 'zoe@example.com',
    subject: 'Verify',
    text,
    html: '<p>Hello</p>',
  })
  const html = await page()
  expect(html).toContain('to zoe@example.com')
  expect(html).toContain('Good evening, Zoë:')
  expect(html).toContain(`<a href="${link}">`)
})

test('the page shows markup in a message as text, and the newest message first', async () => {
  const text = '<script>alert(1)</script>'
  await mailer.send({ id: '2', to: 'eve@example.com', subject: '<b>Hello</b>', text, html: text })
  const html = await page()
  expect(html).not.toMatch(/<script|<b>/)
  expect(html.indexOf('eve@example.com')).toBeLessThan(html.indexOf('zoe@example.com'))
})

test('the page shows the decoded plain text of a message with several parts', async () => {
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

test('the page decodes other character sets, and shows the source of a message with HTML only', async () => {
  const latin = Buffer.from('Zoë', 'latin1').toString('base64')
  const type = 'content-type: text/plain; charset=iso-8859-1'
  const encoding = 'content-transfer-encoding: base64'
  expect(await pageAfter([type, encoding, '', latin])).toMatch(/\(no subject\).*?>Zoë/s)
  const source = ['subject: Markup', 'content-type: text/html', '', '<b>bold</b>']
  expect(await pageAfter(source)).toContain('&#60;b&#62;bold&#60;/b&#62;')
})

test('the HTML of a message is shown in a sandbox with styles, without scripts, and with links in new tabs', async () => {
  const requests: string[] = []
  const port = await freePort()
  const elsewhere = createServer((request, response) => {
    requests.push(request.url ?? '')
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
    await newest.getByText('Show as HTML').click()
    const box = newest.frameLocator('iframe')
    await box.getByText('Hello').waitFor()
    const colour = await page
      .frames()[1]
      ?.evaluate('getComputedStyle(document.body.firstElementChild).color')
    expect(colour).toBe('rgb(1, 2, 3)')
    expect(await page.title()).toBe('Mail')
    expect(await box.locator('base').getAttribute('target')).toBe('_blank')
    expect(requests).toEqual([])
    const htmlResponse = await fetch(
      (await newest.locator('iframe').getAttribute('src'))?.replace(/^/, catcher.pageUrl) ?? '',
    )
    expect(htmlResponse.headers.get('content-security-policy')).toContain('sandbox allow-popups')
  } finally {
    await browser.close()
    elsewhere.close()
  }
})

test('the Content-Security-Policy of the page allows only its styles, its frames and data images', async () => {
  const { headers } = await fetch(catcher.pageUrl)
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:; frame-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'$/,
  )
})

/** Sends a message with these lines, and returns the page. */
async function pageAfter(lines: readonly string[]): Promise<string> {
  const transport = createTransport(catcher.smtpUrl)
  const envelope = { from: 'a@b.example', to: 'eve@example.com' }
  await transport.sendMail({ envelope, raw: lines.join('\r\n') })
  return page()
}

async function page(): Promise<string> {
  return (await fetch(catcher.pageUrl)).text()
}
