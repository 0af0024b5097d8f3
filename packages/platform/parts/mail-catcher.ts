import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server'
import { pagePolicy } from '../../../lib/design/styled-page.ts'
import { listenOn } from '../../../lib/runtime/http/listen.ts'
import { refuseOtherHosts } from '../../../lib/runtime/http/own-hosts.ts'
import { type CaughtMail, htmlPath, mailPage } from './mail-page.ts'

export type MailCatcher = { smtpUrl: string; pageUrl: string; stop(): Promise<void> }

type Ports = { SMTP_PORT: number; MAIL_PAGE_PORT: number }

const LOOPBACK = '127.0.0.1'

/** How many messages are kept; older ones are dropped. */
const MAX_KEPT_MESSAGES = 200

const MAX_MESSAGE_BYTES = 1_000_000

/**
 * Starts a mail server that accepts every message and delivers none, and a page that shows the latest messages.
 *
 * Both servers listen on loopback only. The page rejects requests with a foreign host name.
 */
export async function startMailCatcher({ SMTP_PORT, MAIL_PAGE_PORT }: Ports): Promise<MailCatcher> {
  const mails: CaughtMail[] = []
  const smtp = createSmtpServer(mails)
  const page = createServer((request, response) => {
    refuseOtherHosts(request, response, () => {
      const { html, policy } = pageAt(request.url ?? '/', mails)
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.setHeader('content-security-policy', policy)
      response.end(html)
    })
  })
  await listenOn(smtp.server, { host: LOOPBACK, port: SMTP_PORT })
  await listenOn(page, { host: LOOPBACK, port: MAIL_PAGE_PORT })
  return {
    smtpUrl: `smtp://127.0.0.1:${SMTP_PORT}`,
    pageUrl: `http://localhost:${MAIL_PAGE_PORT}`,
    async stop() {
      page.closeAllConnections()
      await new Promise((resolve) => page.close(resolve))
      await new Promise<void>((resolve) => smtp.close(() => resolve()))
    },
  }
}

/** Returns the HTML of one message in a sandbox; for any other path, the page of all messages. */
function pageAt(path: string, mails: readonly CaughtMail[]): { html: string; policy: string } {
  const message = mails.find(({ id }) => path === htmlPath(id))
  return message?.html
    ? { html: openLinksInTabs(message.html), policy: SANDBOX_POLICY }
    : { html: mailPage(mails), policy: pagePolicy({ frames: "'self'" }) }
}

/** Allows inline styles only: no scripts, images or forms. Links open a new tab. */
const SANDBOX_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'"

function openLinksInTabs(html: string): string {
  return html.replace(/<head[^>]*>/i, '$&<base target="_blank">')
}

function createSmtpServer(mails: CaughtMail[]): SMTPServer {
  return new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    size: MAX_MESSAGE_BYTES,
    closeTimeout: 1_000,
    onData(stream, { envelope }, callback) {
      const to = envelope.rcptTo.map(({ address }) => address)
      readMessage(stream)
        .then((message) => {
          mails.unshift({ id: randomUUID(), receivedAt: new Date(), to, ...message })
          mails.splice(MAX_KEPT_MESSAGES)
          callback()
        })
        .catch(callback)
    },
  })
}

/**
 * Decodes a message. If it has no plain text, `text` is the source of its HTML, because the page shows a message's HTML only in
 * a sandbox.
 *
 * @throws Error if the message is too large or nested too deeply
 */
async function readMessage(stream: SMTPServerDataStream) {
  const source = await buffer(stream)
  if (stream.sizeExceeded) throw new Error('The message is too large.')
  const { subject = '(no subject)', text, html } = await PostalMime.parse(source)
  return { subject, text: text ?? html ?? '', html: html ?? null }
}
